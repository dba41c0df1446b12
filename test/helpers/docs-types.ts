/** Type-checks the modules of the documentation together against src, and reads what src offers. */
import { join } from "node:path";
import ts from "typescript";
import { type DocsModule, placeOf } from "./docs-pages.ts";
import { root } from "./source-files.ts";

const options: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  lib: ["lib.es2022.d.ts", "lib.esnext.disposable.d.ts"],
  types: ["node"],
  strict: true,
  allowImportingTsExtensions: true,
  skipLibCheck: true,
  noEmit: true,
  paths: {
    haft: [join(root, "src/index.ts")],
    "haft/code": [join(root, "src/vm/index.ts")],
    "haft/*": [join(root, "src/*/index.ts")],
  },
};

/** Modules that exist only here, beside the sources on the disk. */
export class DocsProgram {
  readonly #modules: Map<string, DocsModule>;
  readonly #program: ts.Program;

  constructor(modules: readonly DocsModule[], sources: readonly string[] = []) {
    this.#modules = new Map(modules.map((module, index) => [join(root, `docs-fence-${index}.ts`), module]));
    const host = ts.createCompilerHost(options);
    const { fileExists, readFile } = host;
    const textOf = (path: string) => {
      const module = this.#modules.get(path);
      return module && `${module.text}\nexport {};\n`;
    };
    host.fileExists = (path) => this.#modules.has(path) || fileExists(path);
    host.readFile = (path) => textOf(path) ?? readFile(path);
    host.getSourceFile = (path, target) => {
      const text = host.readFile(path);
      return text === undefined ? undefined : ts.createSourceFile(path, text, target);
    };
    const files = [...this.#modules.keys(), ...sources.map((path) => join(root, path))];
    this.#program = ts.createProgram(files, options, host);
  }

  /** `docs/guides/tools.md:12: Type 'string' is not …` */
  problems(): string[] {
    return [...this.#modules].flatMap(([path, module]) => {
      const file = this.#program.getSourceFile(path)!;
      const found = [...this.#program.getSyntacticDiagnostics(file), ...this.#program.getSemanticDiagnostics(file)];
      return found.map(({ start = 0, messageText }) => {
        const { line } = file.getLineAndCharacterOfPosition(start);
        return `${placeOf(module, line + 1)}: ${ts.flattenDiagnosticMessageText(messageText, " ")}`;
      });
    });
  }

  /** The names of what a source file exports, types included. */
  exportsOf(path: string): string[] {
    return this.#exports(path).map(({ name }) => name);
  }

  /** The property names of an exported interface. */
  propertiesOf(path: string, type: string): string[] {
    const checker = this.#program.getTypeChecker();
    const found = this.#exports(path).find(({ name }) => name === type);
    if (!found) throw new Error(`${path} exports no ${type}`);
    const symbol = found.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(found) : found;
    return checker
      .getDeclaredTypeOfSymbol(symbol)
      .getProperties()
      .map(({ name }) => name);
  }

  #exports(path: string): ts.Symbol[] {
    const checker = this.#program.getTypeChecker();
    const file = this.#program.getSourceFile(join(root, path));
    const symbol = file && checker.getSymbolAtLocation(file);
    if (!symbol) throw new Error(`${path} is not part of the program`);
    return checker.getExportsOfModule(symbol);
  }
}
