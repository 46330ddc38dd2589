import type { TranslationBundle } from '@jupyterlab/translation';

export const CommandIDs = {
  open: 'notebook-bcc:open',
  start: 'notebook-bcc:start',
  review: 'notebook-bcc:review',
  confirm: 'notebook-bcc:confirm',
  reject: 'notebook-bcc:reject',
  pause: 'notebook-bcc:pause',
  resume: 'notebook-bcc:resume',
  step: 'notebook-bcc:step',
  cancel: 'notebook-bcc:cancel',
  follow: 'notebook-bcc:follow',
  toggleCode: 'notebook-bcc:toggle-code',
  debugCell: 'notebook-bcc:debug-cell'
} as const;

/** The one name of what can be ordered in several places: palette, menu, launcher and sidebar. */
export const commandNames = {
  start: (trans: TranslationBundle) => trans.__('New Notebook-BCC Run'),
  follow: (trans: TranslationBundle) => trans.__('Follow the Run'),
  toggleCode: (trans: TranslationBundle) => trans.__('Show or Hide the Code')
} as const;
