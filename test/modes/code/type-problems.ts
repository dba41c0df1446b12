/** What TypeScript says about declarations and programs over them. The library is read once. */
import ts from "typescript";

const options: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  lib: ["lib.es2023.d.ts"],
  types: [],
  strict: true,
  noEmit: true,
};

const host = ts.createCompilerHost(options);
const library = new Map<string, ts.SourceFile | undefined>();

/** Every problem of a declaration file and a module over it; none where all is well. */
export function typeProblems(declarations: string, program = ""): string[] {
  const texts: Record<string, string> = { "declared.d.ts": declarations, "program.ts": `${program}\nexport {};\n` };
  const files = new Map(
    Object.entries(texts).map(([name, text]) => [name, ts.createSourceFile(name, text, ts.ScriptTarget.ES2022)]),
  );
  const readLibrary = (path: string) => {
    if (!library.has(path)) library.set(path, host.getSourceFile(path, ts.ScriptTarget.ES2022));
    return library.get(path);
  };
  const made = ts.createProgram([...files.keys()], options, {
    ...host,
    getSourceFile: (path) => files.get(path) ?? readLibrary(path),
    fileExists: (path) => files.has(path) || host.fileExists(path),
  });
  return [...files.values()].flatMap((file) =>
    [...made.getSyntacticDiagnostics(file), ...made.getSemanticDiagnostics(file)].map(({ start = 0, messageText }) => {
      const { line } = file.getLineAndCharacterOfPosition(start);
      const text = file.text.split("\n")[line]!.slice(0, 300);
      return `${file.fileName}:${line + 1}: ${ts.flattenDiagnosticMessageText(messageText, " ")}: ${text}`;
    }),
  );
}

/** The names of types that JavaScript's library brings along. */
export function libraryTypeNames(): string[] {
  const made = ts.createProgram(["program.ts"], { ...options, lib: ["lib.esnext.d.ts"] }, host);
  const names = made
    .getSourceFiles()
    .flatMap((file) =>
      file.statements
        .filter((one) => ts.isInterfaceDeclaration(one) || ts.isTypeAliasDeclaration(one))
        .map((one) => one.name.text),
    );
  return [...new Set(names)];
}
