const jestJupyterLab = require('@jupyterlab/testing/lib/jest-config');

// Published as ES modules only, so babel has to turn them into what jest can load.
const esModules = [
  '@codemirror',
  '@jupyter',
  '@jupyterlab',
  '@lumino',
  '@marijn',
  '@microsoft',
  'color',
  'exenv-es6',
  'lib0',
  'marked',
  'nanoid',
  'vscode-ws-jsonrpc',
  'y-protocols',
  'y-websocket',
  'yjs'
].join('|');

const base = jestJupyterLab(__dirname);

module.exports = {
  ...base,
  moduleNameMapper: {
    ...base.moduleNameMapper,
    // The browser build of `ws` only throws; the tests run a real server with it.
    '^ws$': require.resolve('ws')
  },
  reporters: ['default'],
  roots: ['<rootDir>/src'],
  testRegex: '/__tests__/.*\\.spec\\.tsx?$',
  transform: {
    ...base.transform,
    // Types are checked once, by tsc in `make check`.
    '^.+\\.tsx?$': [
      'ts-jest/legacy',
      { tsconfig: './tsconfig.test.json', diagnostics: false }
    ]
  },
  transformIgnorePatterns: [`/node_modules/(?!(${esModules})).+`]
};
