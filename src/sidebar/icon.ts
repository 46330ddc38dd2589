import { LabIcon } from '@jupyterlab/ui-components';

import notebookBccSvg from '../../style/icons/notebook-bcc.svg';

export const notebookBccIcon = new LabIcon({
  name: 'notebook-bcc-ext:icon',
  svgstr: notebookBccSvg
});
