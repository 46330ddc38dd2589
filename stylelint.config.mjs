export default {
  extends: ['stylelint-config-standard'],
  rules: {
    // Colours come from the theme, or dark mode breaks.
    'color-no-hex': true,
    'color-named': 'never',
    'function-disallowed-list': [['rgb', 'rgba', 'hsl', 'hsla']],
    'selector-class-pattern': [
      '^(bcc|jp|lm)-[A-Za-z0-9-]+$',
      { message: 'Class names start with bcc-' }
    ],
    'property-no-vendor-prefix': null,
    // Rules are grouped by component; their order never decides which one wins.
    'no-descending-specificity': null
  }
};
