/** A program is no module: what its imports, exports and namespaces become. */
import type { Edits } from "./edits.ts";
import type { Problems } from "./problems.ts";
import type { Node, NodeOf } from "./syntax.ts";

type ModuleNode = NodeOf<
  | "ImportDeclaration"
  | "TSImportEqualsDeclaration"
  | "ExportNamedDeclaration"
  | "ExportAllDeclaration"
  | "TSExportAssignment"
  | "TSNamespaceExportDeclaration"
  | "TSModuleDeclaration"
>;

const moduleTypes = new Set<Node["type"]>([
  "ImportDeclaration",
  "TSImportEqualsDeclaration",
  "ExportNamedDeclaration",
  "ExportAllDeclaration",
  "TSExportAssignment",
  "TSNamespaceExportDeclaration",
  "TSModuleDeclaration",
]);

export const NO_IMPORT = "Nothing can be imported: tools are global functions: there is nothing to import";

export function isModuleNode(node: Node): node is ModuleNode {
  return moduleTypes.has(node.type);
}

/** True for what leaves nothing behind: types, and promises of what stands elsewhere. */
export function isErased(node: Node): boolean {
  switch (node.type) {
    case "EmptyStatement":
    case "TSInterfaceDeclaration":
    case "TSTypeAliasDeclaration":
    case "TSDeclareFunction":
    case "TSNamespaceExportDeclaration":
      return true;
    case "VariableDeclaration":
    case "ClassDeclaration":
      return node.declare === true;
    case "TSEnumDeclaration":
      // The values of a constant enum stand in its declaration, and nowhere else.
      return node.declare === true && node.const !== true;
    case "TSModuleDeclaration":
      return node.declare === true || node.kind === "global" || isErasedBody(node.body);
    case "ImportDeclaration":
      return node.importKind === "type" || areTypes(node.specifiers);
    case "TSImportEqualsDeclaration":
      return node.importKind === "type";
    case "ExportAllDeclaration":
      return node.exportKind === "type";
    case "ExportNamedDeclaration":
      if (node.declaration) return isErased(node.declaration);
      return node.exportKind === "type" || !node.source || areTypes(node.specifiers);
    case "ExportDefaultDeclaration":
      return isErased(node.declaration);
    default:
      return false;
  }
}

/** True where what is in it is read further. */
export function editModule(node: ModuleNode, edits: Edits, problems: Problems): boolean {
  switch (node.type) {
    case "ExportNamedDeclaration":
      if (node.declaration) {
        edits.blank(node.start!, node.declaration.start!);
        return true;
      }
      problems.add(node, "Nothing can be exported from another file: tools are global functions");
      return false;
    case "ExportAllDeclaration":
      problems.add(node, "Nothing can be exported from another file: tools are global functions");
      return false;
    case "TSExportAssignment":
      problems.add(node, "`export =` cannot be used here: write return and the value");
      return false;
    case "TSModuleDeclaration":
      problems.add(node, "A namespace with values cannot be used here: write an object");
      return false;
    case "TSImportEqualsDeclaration":
      problems.add(
        node,
        node.moduleReference.type === "TSExternalModuleReference"
          ? NO_IMPORT
          : "`import … = …` cannot be used here: write const",
      );
      return false;
    default:
      problems.add(node, NO_IMPORT);
      return false;
  }
}

function isErasedBody(body: Node): boolean {
  if (body.type === "TSModuleDeclaration") return isErased(body);
  return body.type === "TSModuleBlock" && body.body.every(isErased);
}

function areTypes(specifiers: readonly Node[]): boolean {
  return (
    specifiers.length > 0 &&
    specifiers.every(
      (specifier) =>
        (specifier.type === "ImportSpecifier" && specifier.importKind === "type") ||
        (specifier.type === "ExportSpecifier" && specifier.exportKind === "type"),
    )
  );
}
