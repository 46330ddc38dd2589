import type { TranslationBundle } from '@jupyterlab/translation';
import { settingsIcon } from '@jupyterlab/ui-components';
import React from 'react';

import type { ISettings } from '../../settings';
import { approvalWords } from '../words';

export interface IPreferencesProps {
  settings: ISettings;
  trans: TranslationBundle;
  /** Absent where there is no settings editor. */
  onEdit?: () => void;
}

/**
 * The settings a new run starts with, and the way to change them.
 */
export function Preferences(props: IPreferencesProps): React.JSX.Element {
  const { settings, trans, onEdit } = props;
  return (
    <section className="bcc-Preferences" aria-label={trans.__('Settings')}>
      <div className="bcc-Preferences-heading">
        <h3 className="bcc-Label">{trans.__('Settings for new runs')}</h3>
        {onEdit && (
          <button
            type="button"
            className="bcc-IconButton"
            title={trans.__('Change the settings')}
            aria-label={trans.__('Change the settings')}
            onClick={onEdit}
          >
            <settingsIcon.react tag="span" width="16px" />
          </button>
        )}
      </div>
      <dl className="bcc-Facts">
        <div>
          <dt>{trans.__('Planner')}</dt>
          <dd>{settings.plannerUrl || trans.__('Embedded')}</dd>
        </div>
        <div>
          <dt>{trans.__('Ask before')}</dt>
          <dd>{approvalWords(settings.approval, trans)}</dd>
        </div>
        <div>
          <dt>{trans.__('Follow the run')}</dt>
          <dd>{settings.follow ? trans.__('Yes') : trans.__('No')}</dd>
        </div>
      </dl>
    </section>
  );
}
