import { nullTranslator } from '@jupyterlab/translation';

import schema from '../../schema/plugin.json';
import { DEFAULT_SETTINGS, readSettings, translateSchema } from '../settings';

describe('readSettings', () => {
  it('has the defaults of the schema', () => {
    const { plannerUrl, approval, follow, options } = schema.properties;
    expect(DEFAULT_SETTINGS).toEqual({
      plannerUrl: plannerUrl.default,
      approval: approval.default,
      follow: follow.default,
      options: options.default
    });
    expect(readSettings({})).toEqual(DEFAULT_SETTINGS);
  });

  it('offers the policies of the schema', () => {
    for (const { const: approval } of schema.properties.approval.oneOf) {
      expect(readSettings({ approval }).approval).toBe(approval);
    }
  });

  it('falls back to the default where a value cannot be used', () => {
    expect(
      readSettings({
        plannerUrl: 5,
        approval: 'sometimes',
        follow: 'yes',
        options: ['x']
      })
    ).toEqual(DEFAULT_SETTINGS);
  });

  it('takes the spaces off an address', () => {
    expect(readSettings({ plannerUrl: ' http://h:1 ' }).plannerUrl).toBe(
      'http://h:1'
    );
  });
});

describe('translateSchema', () => {
  it('translates titles and descriptions at every depth, and nothing else', () => {
    const trans = nullTranslator.load('notebook_bcc_ext');
    jest.spyOn(trans, '__').mockImplementation(key => `<${key}>`);
    const translated = translateSchema(
      {
        type: 'object',
        title: 'T',
        properties: {
          a: { type: 'string', title: 'A', default: 'title' },
          b: { oneOf: [{ const: 'x', title: 'X' }] }
        }
      },
      trans
    );
    expect(translated).toEqual({
      type: 'object',
      title: '<T>',
      properties: {
        a: { type: 'string', title: '<A>', default: 'title' },
        b: { oneOf: [{ const: 'x', title: '<X>' }] }
      }
    });
  });
});
