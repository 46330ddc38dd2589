import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

import ts from 'typescript';

const ROOT = resolve(__dirname, '../..');
const CATALOGUE = join(
  ROOT,
  'notebook_bcc_ext/locale/zh_CN/LC_MESSAGES/notebook_bcc_ext.json'
);
/** Where a position of the message stands among the arguments of each translator method. */
const MESSAGE_ARGUMENTS = new Map<string, number[]>([
  ['__', [0]],
  ['gettext', [0]],
  ['_n', [0, 1]],
  ['ngettext', [0, 1]],
  ['_p', [1]],
  ['pgettext', [1]]
]);
/** Attributes of elements and components, and properties of options, that people read. */
const SPOKEN = [
  'aria-label',
  'alt',
  'caption',
  'category',
  'hint',
  'iconLabel',
  'label',
  'placeholder',
  'title',
  'usage'
];
/** Objects whose texts are for programs: an id of the shell, a description of arguments. */
const UNSPOKEN_OBJECTS = ['describedBy', 'args'];
/** Functions that show their first text to the person. */
const TELLERS =
  /^(alert|confirm|warning|info|error|success|emit|Notification)$/;

interface IFindings {
  messages: Set<string>;
  /** Messages with a number, in the singular. */
  counted: Set<string>;
  bypasses: string[];
  /** Messages that are not literals. */
  dynamic: string[];
}

function sourceFiles(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap(entry => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      return entry.name === '__tests__' ? [] : sourceFiles(path);
    }
    return /\.tsx?$/.test(entry.name) ? [path] : [];
  });
}

/** The literal texts that this node itself puts before the person. */
function textsShownBy(node: ts.Node): string[] {
  if (ts.isJsxText(node)) {
    return [node.text];
  }
  if (ts.isJsxExpression(node) && !ts.isJsxAttribute(node.parent)) {
    return node.expression ? literalsOf(node.expression) : [];
  }
  if (ts.isJsxAttribute(node) && SPOKEN.includes(node.name.getText())) {
    const { initializer } = node;
    if (initializer && ts.isStringLiteral(initializer)) {
      return [initializer.text];
    }
    return initializer && ts.isJsxExpression(initializer)
      ? literalsOf(initializer.expression)
      : [];
  }
  if (
    ts.isPropertyAssignment(node) &&
    SPOKEN.includes(node.name.getText()) &&
    !isUnspoken(node)
  ) {
    return literalsOf(node.initializer);
  }
  if (
    ts.isBinaryExpression(node) &&
    node.operatorToken.kind === ts.SyntaxKind.EqualsToken &&
    ts.isPropertyAccessExpression(node.left) &&
    SPOKEN.includes(node.left.name.text)
  ) {
    return literalsOf(node.right);
  }
  const called =
    ts.isCallExpression(node) || ts.isNewExpression(node)
      ? node.expression
      : undefined;
  const teller =
    called && ts.isPropertyAccessExpression(called) ? called.name : called;
  // What goes to the console is for developers.
  return teller &&
    TELLERS.test(teller.getText()) &&
    !called?.getText().startsWith('console.')
    ? literalsOf((node as ts.CallExpression).arguments[0])
    : [];
}

/** Texts that an expression may be: through conditions and templates, not through calls. */
function literalsOf(node: ts.Expression | undefined): string[] {
  if (node === undefined) {
    return [];
  }
  if (ts.isStringLiteralLike(node)) {
    return [node.text];
  }
  if (ts.isTemplateExpression(node)) {
    return [
      node.head.text,
      ...node.templateSpans.flatMap(({ literal, expression }) => [
        literal.text,
        ...literalsOf(expression)
      ])
    ];
  }
  if (ts.isConditionalExpression(node)) {
    return [...literalsOf(node.whenTrue), ...literalsOf(node.whenFalse)];
  }
  if (ts.isParenthesizedExpression(node)) {
    return literalsOf(node.expression);
  }
  if (ts.isArrowFunction(node) && !ts.isBlock(node.body)) {
    return literalsOf(node.body);
  }
  if (ts.isBinaryExpression(node)) {
    const { kind } = node.operatorToken;
    const joins = [
      ts.SyntaxKind.PlusToken,
      ts.SyntaxKind.QuestionQuestionToken,
      ts.SyntaxKind.BarBarToken
    ].includes(kind);
    const left = joins ? literalsOf(node.left) : [];
    return joins || kind === ts.SyntaxKind.AmpersandAmpersandToken
      ? [...left, ...literalsOf(node.right)]
      : [];
  }
  return [];
}

function isUnspoken(node: ts.Node): boolean {
  for (let at: ts.Node = node; !ts.isSourceFile(at); at = at.parent) {
    if (
      ts.isPropertyAssignment(at) &&
      UNSPOKEN_OBJECTS.includes(at.name.getText())
    ) {
      return true;
    }
  }
  return false;
}

function inspect(name: string, text: string, findings: IFindings): void {
  const file = ts.createSourceFile(
    name,
    text,
    ts.ScriptTarget.Latest,
    true,
    name.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS
  );
  const visit = (node: ts.Node): void => {
    if (
      ts.isCallExpression(node) &&
      ts.isPropertyAccessExpression(node.expression)
    ) {
      const positions = MESSAGE_ARGUMENTS.get(node.expression.name.text) ?? [];
      for (const position of positions) {
        const argument = node.arguments[position];
        if (argument && ts.isStringLiteralLike(argument)) {
          findings.messages.add(argument.text);
          if (positions.length === 2 && position === positions[0]) {
            findings.counted.add(argument.text);
          }
        } else if (argument) {
          findings.dynamic.push(`${name}: ${argument.getText()}`);
        }
      }
    }
    const texts = textsShownBy(node);
    for (const text of texts.filter(one => /\p{L}/u.test(one))) {
      findings.bypasses.push(`${name}: ${text.trim()}`);
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
}

function schemaMessages(node: unknown): string[] {
  if (typeof node !== 'object' || node === null) {
    return [];
  }
  return Object.entries(node).flatMap(([key, value]) =>
    typeof value === 'string'
      ? key === 'title' || key === 'description'
        ? [value]
        : []
      : schemaMessages(value)
  );
}

function nothingYet(): IFindings {
  return { messages: new Set(), counted: new Set(), bypasses: [], dynamic: [] };
}

function foundIn(source: string): IFindings {
  const findings = nothingYet();
  inspect('example.tsx', source, findings);
  return findings;
}

function inspectProduct(): IFindings {
  const findings = nothingYet();
  for (const path of sourceFiles(join(ROOT, 'src'))) {
    inspect(path.slice(ROOT.length + 1), readFileSync(path, 'utf8'), findings);
  }
  const schema = readFileSync(join(ROOT, 'schema/plugin.json'), 'utf8');
  for (const message of schemaMessages(JSON.parse(schema))) {
    findings.messages.add(message);
  }
  return findings;
}

describe('Simplified Chinese', () => {
  const { '': header, ...entries } = JSON.parse(
    readFileSync(CATALOGUE, 'utf8')
  ) as Record<string, string[]> & { '': Record<string, string> };
  const findings = inspectProduct();

  it('has an entry for every message, and none that nobody uses', () => {
    expect(findings.messages.size).toBeGreaterThan(20);
    expect(Object.keys(entries).sort()).toEqual([...findings.messages].sort());
  });

  it('keeps the placeholders of every message', () => {
    const placeholders = (text: string): string[] =>
      (text.match(/%\d/g) ?? []).sort();
    for (const [message, translations] of Object.entries(entries)) {
      for (const translation of translations) {
        expect(translation.trim()).not.toBe('');
        expect(placeholders(translation)).toEqual(placeholders(message));
      }
    }
  });

  it('has two forms of what is counted, or JupyterLab takes none', () => {
    expect(findings.counted.size).toBeGreaterThan(2);
    for (const message of findings.counted) {
      expect([message, entries[message]?.length]).toEqual([message, 2]);
    }
  });

  it('names its language the way JupyterLab looks it up', () => {
    expect(header).toMatchObject({
      domain: 'notebook_bcc_ext',
      language: 'zh-CN'
    });
  });
});

describe('Untranslated text', () => {
  it('is nowhere in the product', () => {
    expect(inspectProduct().bypasses).toEqual([]);
  });

  it.each([
    ['text', '<p>Hello</p>'],
    ['an expression', "<p>{'Hello'}</p>"],
    ['a template', '<p>{`${count} files`}</p>'],
    ['a condition', "<p>{busy ? 'Wait' : trans.__('Go')}</p>"],
    ['a fallback', "<p>{name || 'nobody'}</p>"],
    ['what shows only sometimes', "<p>{busy && 'Wait'}</p>"],
    ['a sum', "<p>{'Hello ' + name}</p>"],
    ['a spoken attribute', '<p title="Hello" />'],
    ['an attribute in braces', "<p aria-label={'Hello'} />"],
    ['a placeholder', '<input placeholder={`Hello`} />'],
    ['a property of a component', '<ActionButton label="Hello" />'],
    ['the label of a command', "commands.addCommand(id, { label: 'Hello' })"],
    ['a computed label', "commands.addCommand(id, { label: () => 'Hello' })"],
    ['the caption of a tab', "widget.title.caption = 'Hello'"],
    ['a toast', "Toast.warning('Hello')"],
    ['a notification', "new Notification('Hello')"]
  ])('is found as %s', (_, source) => {
    expect(foundIn(source).bypasses).toHaveLength(1);
  });

  it.each([
    ['<p className="bcc-Row">{trans.__(\'Hello\')}</p>'],
    ['<p>{`${percent} %`}</p>'],
    ['<p>{duration(3, trans)}</p>'],
    ["console.error('for developers')"],
    ["commands.addCommand(id, { describedBy: { args: { title: 'Hello' } } })"]
  ])('is not seen where there is none: %s', source => {
    expect(foundIn(source).bypasses).toEqual([]);
  });

  it('is found in messages that nobody can look up', () => {
    // A message must be a literal, or the catalogue cannot be checked against it.
    expect(inspectProduct().dynamic).toEqual(['src/settings.ts: value']);
  });
});
