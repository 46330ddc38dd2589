import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

import ts from 'typescript';

const ROOT = resolve(__dirname, '../..');
const CATALOGUE = join(
  ROOT,
  'notebook_bcc_ext/locale/zh_CN/LC_MESSAGES/notebook_bcc_ext.json'
);
/** Where a position of the message stands among the arguments of each translator method. */
const MESSAGE_ARGUMENTS: Record<string, number[]> = {
  __: [0],
  gettext: [0],
  _n: [0, 1],
  ngettext: [0, 1],
  _p: [1],
  pgettext: [1]
};
const SPOKEN_ATTRIBUTES = ['aria-label', 'title', 'placeholder', 'alt'];

interface IFindings {
  messages: Set<string>;
  /** Messages with a number, in the singular. */
  counted: Set<string>;
  bypasses: string[];
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
      const positions = MESSAGE_ARGUMENTS[node.expression.name.text] ?? [];
      for (const position of positions) {
        const argument = node.arguments[position];
        if (argument && ts.isStringLiteralLike(argument)) {
          findings.messages.add(argument.text);
          if (positions.length === 2 && position === positions[0]) {
            findings.counted.add(argument.text);
          }
        }
      }
    }
    if (ts.isJsxText(node) && /\p{L}/u.test(node.text)) {
      findings.bypasses.push(`${name}: ${node.text.trim()}`);
    }
    if (
      ts.isJsxExpression(node) &&
      !ts.isJsxAttribute(node.parent) &&
      node.expression &&
      ts.isStringLiteralLike(node.expression) &&
      /\p{L}/u.test(node.expression.text)
    ) {
      findings.bypasses.push(`${name}: ${node.expression.text}`);
    }
    if (
      ts.isJsxAttribute(node) &&
      SPOKEN_ATTRIBUTES.includes(node.name.getText()) &&
      node.initializer &&
      ts.isStringLiteral(node.initializer)
    ) {
      findings.bypasses.push(`${name}: ${node.getText()}`);
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

function inspectProduct(): IFindings {
  const findings: IFindings = {
    messages: new Set(),
    counted: new Set(),
    bypasses: []
  };
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
    ['a spoken attribute', '<p title="Hello" />']
  ])('is found as %s', (_, source) => {
    const findings: IFindings = {
      messages: new Set(),
      counted: new Set(),
      bypasses: []
    };
    inspect('example.tsx', source, findings);
    expect(findings.bypasses).toHaveLength(1);
  });
});
