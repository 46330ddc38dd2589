import type { TranslationBundle } from '@jupyterlab/translation';
import { VDomRenderer } from '@jupyterlab/ui-components';
import React from 'react';

import type { Model } from '../runs/model';
import { StatusIcon } from './common/status-icon';
import { statusWords } from './words';

/** In the status bar: what the run does, and above all whether it waits for the person. */
export class StatusItem extends VDomRenderer<Model> {
  constructor(
    model: Model,
    private readonly _trans: TranslationBundle,
    private readonly _show: () => void
  ) {
    super(model);
    this.addClass('bcc-StatusItem');
  }

  protected override render(): React.JSX.Element | null {
    const { model, _trans: trans } = this;
    const run = model.waiting[0] ?? model.selected;
    if (!run) {
      return null;
    }
    const percent = Math.round(run.progress.fraction * 100);
    const words =
      run.status === 'running'
        ? trans.__('Notebook-BCC: %1 %', String(percent))
        : trans.__('Notebook-BCC: %1', statusWords(run.status, trans));
    return (
      <button
        type="button"
        className="bcc-StatusItem-button"
        data-status={run.status}
        title={run.notebook}
        onClick={() => {
          model.select(run.id);
          this._show();
        }}
      >
        <StatusIcon status={run.status} />
        {words}
      </button>
    );
  }
}
