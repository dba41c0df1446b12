/** TypeScript kept warm: what was read for one check is there for the next. */
import { guestLib } from "./guest-lib.ts";
import { readLibFiles } from "./lib-files.ts";
import { Recent } from "./recent.ts";
import { libFolder, type TS, ts } from "./typescript.ts";

/** A file as it is named in messages to TypeScript: the name says its content, so a name never changes its text. */
export interface NamedText {
  name: string;
  text: string;
}

export interface CompiledProgram {
  file: TS.SourceFile;
  declarations: TS.SourceFile;
  checker: TS.TypeChecker;
  /** False where there are errors of syntax: then the first of them is all that is said. */
  isReadable: boolean;
  diagnostics: readonly TS.Diagnostic[];
}

const options: TS.CompilerOptions = {
  target: ts.ScriptTarget.ESNext,
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  moduleDetection: ts.ModuleDetectionKind.Force,
  noLib: true,
  types: [],
  noEmit: true,
  strict: true,
  noImplicitThis: false,
  strictPropertyInitialization: false,
  strictBuiltinIteratorReturn: false,
  useUnknownInCatchVariables: false,
  allowUnreachableCode: true,
  allowUnusedLabels: true,
};

/** The guest's own last: of several declarations of one thing, later ones go first. */
const library: readonly NamedText[] = [...readLibFiles(libFolder), { name: "/guest.d.ts", text: guestLib }];
const libraryNames = new Set(library.map(({ name }) => name));

const libraryFiles = new Recent<TS.SourceFile>(library.length);
/** Declarations and earlier programs, by name. */
const recentFiles = new Recent<TS.SourceFile>(200);

export function compile(declarations: NamedText, earlier: readonly NamedText[], text: string): CompiledProgram {
  const checked = { name: "/program.ts", text };
  const texts = new Map([...library, declarations, ...earlier, checked].map((file) => [file.name, file.text]));
  const roots = [...library, declarations, checked].map(({ name }) => name);
  const program = ts.createProgram({ rootNames: roots, options, host: hostOf(texts) });
  const file = program.getSourceFile(checked.name)!;
  const syntax = program.getSyntacticDiagnostics(file);
  return {
    file,
    declarations: program.getSourceFile(declarations.name)!,
    checker: program.getTypeChecker(),
    isReadable: syntax.length === 0,
    diagnostics: syntax.length > 0 ? syntax.slice(0, 1) : program.getSemanticDiagnostics(file),
  };
}

/** Everything that the language itself declares. */
export function isOfLibrary(file: TS.SourceFile): boolean {
  return libraryNames.has(file.fileName);
}

function hostOf(texts: ReadonlyMap<string, string>): TS.CompilerHost {
  return {
    getSourceFile: (name, languageVersion) => {
      const text = texts.get(name);
      if (text === undefined) return undefined;
      const parse = () => ts.createSourceFile(name, text, languageVersion);
      if (name === "/program.ts") return parse();
      return (libraryNames.has(name) ? libraryFiles : recentFiles).get(name, parse);
    },
    resolveModuleNameLiterals: (literals) =>
      literals.map(({ text }) => {
        const resolvedFileName = `/${text.replace("./", "")}.ts`;
        const isThere = text.startsWith("./") && texts.has(resolvedFileName);
        return { resolvedModule: isThere ? { resolvedFileName, extension: ts.Extension.Ts } : undefined };
      }),
    fileExists: (name) => texts.has(name),
    readFile: (name) => texts.get(name),
    getDefaultLibFileName: () => library[0]!.name,
    getCurrentDirectory: () => "/",
    getCanonicalFileName: (name) => name,
    useCaseSensitiveFileNames: () => true,
    getNewLine: () => "\n",
    writeFile: () => {},
  };
}
