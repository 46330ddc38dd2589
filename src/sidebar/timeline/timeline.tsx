import React from 'react';

import { clockTime } from '../common/format';
import { useKit, useSignal } from '../common/kit';
import { VirtualList } from '../common/virtual-list';
import { stateWords } from '../words';

/** Every transition of the run, the newest first. */
export function Timeline(): React.JSX.Element {
  const { trans, feed } = useKit();
  useSignal(feed.changed, part => part === 'transitions');
  React.useEffect(() => feed.watch('transitions'), [feed]);
  const { transitions } = feed;
  if (transitions.length === 0) {
    return <p className="bcc-Hint">{trans.__('Nothing has happened yet.')}</p>;
  }
  return (
    <VirtualList
      label={trans.__('Timeline')}
      items={transitions}
      rowHeight={38}
      maxRows={8}
      reveal={transitions.length - 1}
      keyOf={one => one.number}
      render={one => (
        <div role="listitem" className="bcc-TimelineRow">
          <span className="bcc-TimelineRow-time">
            {clockTime(one.timestamp)}
          </span>
          <span className="bcc-TimelineRow-words">
            {stateWords(one.to, trans)}
          </span>
          <code
            className="bcc-TimelineRow-event"
            title={`${one.from} → ${one.to}`}
          >
            {one.event}
          </code>
        </div>
      )}
    />
  );
}
