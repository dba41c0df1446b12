/** Reads a program with Babel's parser, and puts its errors into our words where they speak of the parser itself. */
import { type ParseError, type ParserOptions, parse } from "@babel/parser";
import type { Problems } from "./problems.ts";
import type { SourceText } from "./source-text.ts";
import type { Program } from "./syntax.ts";

const options: ParserOptions = {
  sourceType: "module",
  allowReturnOutsideFunction: true,
  allowUndeclaredExports: true,
  createParenthesizedExpressions: true,
  attachComment: false,
  errorRecovery: true,
  // The last three cannot run. They are read to say so in words that help.
  plugins: ["typescript", "decorators", "decoratorAutoAccessors", "explicitResourceManagement"],
};

/** Undefined where nothing could be read. After smaller mistakes there is a program, so that others are found too. */
export function parseProgram(source: SourceText, problems: Problems): Program | undefined {
  try {
    const { program, errors } = parse(source.text, options);
    for (const error of errors ?? []) problems.add(error.pos, messageOf(error));
    return program;
  } catch (error) {
    if (!isParseError(error)) throw error;
    problems.add(error.pos, messageOf(error));
    return undefined;
  }
}

function isParseError(error: unknown): error is ParseError {
  return error instanceof SyntaxError && typeof (error as Partial<ParseError>).pos === "number";
}

function messageOf({ message, missingPlugin }: ParseError): string {
  if (missingPlugin !== undefined) {
    return [missingPlugin].flat().includes("jsx") ? "JSX cannot be used here" : "This syntax cannot be used here";
  }
  return message.replace(/ \(\d+:\d+\)$/, "");
}
