import { bellIcon } from '@jupyterlab/ui-components';
import React from 'react';

import type { RunView } from '../../protocol';
import { useKit } from '../common/kit';

/** Offers a system notification, once, while there is something to wait for. */
export function NotifyMe({ run }: { run: RunView }): React.JSX.Element | null {
  const { trans } = useKit();
  const [permission, setPermission] = React.useState(() =>
    'Notification' in window ? Notification.permission : 'denied'
  );
  const waits = run.status === 'running' && run.approval !== 'none';
  if (permission !== 'default' || !waits) {
    return null;
  }
  return (
    <button
      type="button"
      className="bcc-LinkButton"
      onClick={() => {
        void Notification.requestPermission().then(setPermission);
      }}
    >
      <bellIcon.react tag="span" className="bcc-Button-icon" />
      {trans.__('Notify me when I am needed')}
    </button>
  );
}
