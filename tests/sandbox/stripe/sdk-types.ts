import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

const resources = 'node_modules/stripe/esm/resources';
const sources = new Map<string, ts.SourceFile>();

function sourceOf(file: string): ts.SourceFile {
  const path = join(resources, `${file}.d.ts`);
  const source =
    sources.get(path) ?? ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true);
  sources.set(path, source);
  return source;
}

type Scope = ts.SourceFile | ts.ModuleBlock;

function namespaceIn(scope: Scope, name: string): ts.ModuleBlock | null {
  for (const statement of scope.statements)
    if (
      ts.isModuleDeclaration(statement) &&
      statement.name.text === name &&
      statement.body &&
      ts.isModuleBlock(statement.body)
    )
      return statement.body;
  return null;
}

const interfaceIn = (scope: Scope, name: string): ts.InterfaceDeclaration | null =>
  scope.statements.filter(ts.isInterfaceDeclaration).find((one) => one.name.text === name) ?? null;

/** Finds `Subscription.AutomaticTax` from where it is named: in the namespace of that place, or of one around it. */
function resolve(from: Scope, path: string[]): ts.InterfaceDeclaration | null {
  for (let scope: ts.Node | undefined = from; scope; scope = scope.parent) {
    if (!ts.isSourceFile(scope) && !ts.isModuleBlock(scope)) continue;
    let inner: Scope | null = scope;
    for (const name of path.slice(0, -1)) inner = inner && namespaceIn(inner, name);
    const found = inner && interfaceIn(inner, path.at(-1) ?? '');
    if (found) return found;
  }
  return null;
}

const partsOf = (type: ts.TypeNode): readonly ts.TypeNode[] =>
  ts.isUnionTypeNode(type) ? type.types : [type];
const isNull = (type: ts.TypeNode) => type.getText() === 'null';

function faultsOfValue(value: unknown, type: ts.TypeNode, scope: Scope, path: string): string[] {
  if (value === null) return partsOf(type).some(isNull) ? [] : [`${path} is null`];
  if (Array.isArray(value)) {
    const element = partsOf(type).find(
      (part) => ts.isTypeReferenceNode(part) && part.typeName.getText() === 'Array',
    );
    const inner = element && ts.isTypeReferenceNode(element) ? element.typeArguments?.[0] : undefined;
    return inner ? value.flatMap((one, index) => faultsOfValue(one, inner, scope, `${path}[${index}]`)) : [];
  }
  if (typeof value !== 'object') return [];
  const reference = partsOf(type).find((part): part is ts.TypeReferenceNode => ts.isTypeReferenceNode(part));
  const declared = reference && resolve(scope, reference.typeName.getText().split('.'));
  return declared ? faultsOfObject(value, declared, path) : [];
}

/** The fields that an object lacks or that are null against the type, and those that the type does not know. */
function faultsOfObject(value: object, declared: ts.InterfaceDeclaration, path: string): string[] {
  const members = declared.members.filter(ts.isPropertySignature);
  const scope = declared.parent as Scope;
  const unknown = declared.members.some(ts.isIndexSignatureDeclaration)
    ? []
    : Object.keys(value).filter((name) => !members.some((member) => member.name.getText() === name));
  return [
    ...unknown.map((name) => `${path}.${name} is unknown`),
    ...members.flatMap((member) => {
      const name = member.name.getText();
      const field = (value as Record<string, unknown>)[name];
      if (field === undefined) return member.questionToken ? [] : [`${path}.${name} is missing`];
      return member.type ? faultsOfValue(field, member.type, scope, `${path}.${name}`) : [];
    }),
  ];
}

/** Compares an answer with an interface of the SDK, such as `Session` in `Checkout/Sessions`. */
export function faultsAgainst(file: string, name: string, value: object): string[] {
  const declared = interfaceIn(sourceOf(file), name);
  if (!declared) throw new Error(`The SDK has no interface ${name} in ${file}.`);
  return faultsOfObject(value, declared, name);
}
