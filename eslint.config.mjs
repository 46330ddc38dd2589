import jupyter from '@jupyter/eslint-plugin';
import prettier from 'eslint-config-prettier';
import jsxA11y from 'eslint-plugin-jsx-a11y';
import reactHooks from 'eslint-plugin-react-hooks';
import tseslint from 'typescript-eslint';

// A warning that nobody has to act on is noise: every recommended rule is an error here.
const jupyterRules = jupyter.configs.recommended.map(config => ({
  ...config,
  rules: Object.fromEntries(
    Object.entries(config.rules).map(([name, level]) => [
      name,
      level === 'off' ? 'off' : 'error'
    ])
  )
}));

export default tseslint.config(
  {
    ignores: [
      '**/node_modules/**',
      '.venv/**',
      '.make/**',
      'lib/**',
      'dist/**',
      'coverage/**',
      'notebook_bcc_ext/**',
      'src/protocol.ts',
      'ui-tests/playwright-report/**',
      'ui-tests/test-results/**'
    ]
  },
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  { plugins: { jupyter } },
  ...jupyterRules,
  {
    files: ['**/*.ts', '**/*.tsx'],
    extends: [
      ...tseslint.configs.strictTypeChecked,
      ...tseslint.configs.stylisticTypeChecked,
      jsxA11y.flatConfigs.strict
    ],
    languageOptions: {
      parserOptions: {
        project: './tsconfig.test.json',
        tsconfigRootDir: import.meta.dirname
      }
    },
    rules: {
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/consistent-type-imports': [
        'error',
        { fixStyle: 'inline-type-imports' }
      ],
      '@typescript-eslint/naming-convention': [
        'error',
        {
          selector: 'interface',
          format: ['PascalCase'],
          custom: { regex: '^I[A-Z]', match: true }
        }
      ],
      curly: 'error',
      eqeqeq: 'error',
      'max-lines': ['error', 400]
    }
  },
  { files: ['src/**'], extends: [reactHooks.configs.flat.recommended] },
  {
    files: ['src/**'],
    // Lumino signals take `this` as their second argument.
    rules: { '@typescript-eslint/unbound-method': 'off' }
  },
  {
    files: ['**/__tests__/**'],
    rules: {
      '@typescript-eslint/no-non-null-assertion': 'off',
      'jupyter/no-untranslated-string': 'off'
    }
  },
  prettier
);
