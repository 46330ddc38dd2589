import { copyIcon } from '@jupyterlab/ui-components';
import React from 'react';

import type { ICall } from '../../connection/api';
import { Code } from '../common/code';
import { bytes, clockTime, duration, pretty } from '../common/format';
import { useKit, useSignal } from '../common/kit';
import { ActionButton } from '../common/parts';
import { VirtualList } from '../common/virtual-list';
import { callWords } from '../words';

/** Every call to the planner: exactly what was sent, and what came back (O13). */
export function Calls(): React.JSX.Element {
  const { trans, feed } = useKit();
  useSignal(feed.changed, part => part === 'calls');
  React.useEffect(() => feed.watch('calls'), [feed]);
  const [query, setQuery] = React.useState('');
  const [open, setOpen] = React.useState<number | null>(null);
  const found = React.useMemo(
    () => matching(feed.calls, query),
    [feed.calls, query]
  );
  const chosen = found.find(({ number }) => number === open);
  return (
    <div className="bcc-Calls">
      <input
        type="search"
        value={query}
        className="bcc-Input"
        aria-label={trans.__('Search the calls')}
        placeholder={trans.__('Search requests and answers')}
        onChange={event => {
          setQuery(event.target.value);
        }}
      />
      <p className="bcc-Hint" role="status">
        {trans._n('%1 call', '%1 calls', found.length)}
      </p>
      <VirtualList
        label={trans.__('Planner calls')}
        items={found}
        rowHeight={40}
        maxRows={6}
        keyOf={({ number }) => number}
        render={call => (
          <div role="listitem">
            <CallRow
              call={call}
              open={call.number === open}
              onClick={() => {
                setOpen(call.number === open ? null : call.number);
              }}
            />
          </div>
        )}
      />
      {chosen && <CallDetail call={chosen} />}
    </div>
  );
}

function matching(calls: readonly ICall[], query: string): readonly ICall[] {
  const wanted = query.trim();
  const newestFirst = [...calls].reverse();
  if (!wanted) {
    return newestFirst;
  }
  // Megabytes may be searched: no copy of them is made.
  const pattern = new RegExp(
    wanted.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'),
    'iu'
  );
  return newestFirst.filter(({ kind, request, answer, error }) =>
    [kind, request, answer, error ?? ''].some(text => pattern.test(text))
  );
}

interface ICallRowProps {
  call: ICall;
  open: boolean;
  onClick: () => void;
}

function CallRow({ call, open, onClick }: ICallRowProps): React.JSX.Element {
  const { trans } = useKit();
  const facts = [
    duration(call.duration_ms, trans),
    `↑ ${bytes(call.request_bytes)}`,
    `↓ ${bytes(call.answer_bytes)}`
  ];
  if (call.tries > 1) {
    facts.push(trans.__('%1 tries', String(call.tries)));
  }
  return (
    <button
      type="button"
      className="bcc-CallRow"
      aria-expanded={open}
      data-failed={call.error !== null || undefined}
      onClick={onClick}
    >
      <span className="bcc-CallRow-kind">
        {`#${String(call.number)} ${callWords(call.kind, trans)}`}
        <span className="bcc-CallRow-status">
          {call.error === null ? call.status : trans.__('failed')}
        </span>
      </span>
      <span className="bcc-CallRow-facts">{facts.join(' · ')}</span>
    </button>
  );
}

function CallDetail({ call }: { call: ICall }): React.JSX.Element {
  const { trans } = useKit();
  const [side, setSide] = React.useState<'request' | 'answer'>('answer');
  const text = pretty(call[side]);
  return (
    <div className="bcc-CallDetail">
      <div className="bcc-CallDetail-heading">
        <div role="group" aria-label={trans.__('Show')} className="bcc-Switch">
          {(['request', 'answer'] as const).map(one => (
            <button
              key={one}
              type="button"
              aria-pressed={side === one}
              onClick={() => {
                setSide(one);
              }}
            >
              {one === 'request' ? trans.__('Request') : trans.__('Answer')}
            </button>
          ))}
        </div>
        <span className="bcc-Hint">{clockTime(call.started_at)}</span>
        <ActionButton
          iconOnly
          icon={copyIcon}
          label={trans.__('Copy')}
          onClick={() => {
            void navigator.clipboard.writeText(text);
          }}
        />
      </div>
      {call.error && <p className="bcc-Field-error">{call.error}</p>}
      <Code
        label={side === 'request' ? trans.__('Request') : trans.__('Answer')}
        text={text}
      />
    </div>
  );
}
