import React from 'react';

import type { RunView } from '../../protocol';
import { workClock, workedMs } from '../../runs/work-time';
import { duration } from '../common/format';
import { useKit, useNow } from '../common/kit';
import { RunStatus } from '../common/status-icon';
import { doingWords, pauseWords, stateWords } from '../words';

/** Until then nothing is said about time; later how long, then calmly that it may be slow. */
const PATIENT_MS = 3_000;
const SLOW_MS = 30_000;

/** Where the run is: status, state in words and by name, progress, what takes the time. */
export function NowCard({ run }: { run: RunView }): React.JSX.Element {
  const { trans, model } = useKit();
  const active = run.ended_at === null;
  const now = useNow(active) - model.clockLead;
  const worked = workedMs(run, workClock(run, now));
  const paused =
    run.status === 'paused' ? pauseWords(run.status_reason ?? '', trans) : null;
  const reset =
    run.status === 'cancelled' &&
    run.state === 'idle' &&
    run.progress.steps_total === 0
      ? trans.__('Reset: its cells were taken out of the notebook')
      : null;
  const waiting = run.pending ? trans.__('Waiting for your decision') : null;
  const doing = run.doing ? doingWords(run.doing.what, trans) : null;
  return (
    <section
      className="bcc-State"
      data-testid="bcc-state"
      data-state={run.state}
      data-status={run.status}
      aria-label={trans.__('State')}
    >
      <div className="bcc-State-heading">
        <RunStatus status={run.status} trans={trans} />
        <span className="bcc-State-time">
          <span className="bcc-Spoken">{trans.__('Working time')}</span>
          {duration(worked, trans)}
        </span>
      </div>
      <p className="bcc-State-words" role="status">
        {waiting ?? paused ?? doing ?? reset ?? stateWords(run.state, trans)}
      </p>
      <Progress run={run} />
      {run.status === 'running' && <Doing run={run} now={now} />}
    </section>
  );
}

function Progress({ run }: { run: RunView }): React.JSX.Element {
  const { trans } = useKit();
  const { progress, counts } = run;
  const percent = Math.round(progress.fraction * 100);
  const step = Math.min(progress.steps_done + 1, progress.steps_total);
  const where =
    run.status === 'done'
      ? trans.__('All %1 steps', String(progress.steps_total))
      : trans.__('Step %1 of %2', String(step), String(progress.steps_total));
  const revised =
    counts.plan_revisions > 0
      ? trans._n(
          'plan revised %1 time',
          'plan revised %1 times',
          counts.plan_revisions
        )
      : null;
  return (
    <div className="bcc-Progress">
      <div
        className="bcc-Progress-bar"
        role="progressbar"
        aria-label={trans.__('Progress of the workflow')}
        aria-valuenow={percent}
        aria-valuemin={0}
        aria-valuemax={100}
      >
        <div
          className="bcc-Progress-done"
          style={{ inlineSize: `${String(percent)}%` }}
        />
      </div>
      <div className="bcc-Progress-words">
        <span>
          {progress.steps_total > 0
            ? [where, revised].filter(Boolean).join(', ')
            : trans.__('No plan yet')}
        </span>
        <span>{`${String(percent)} %`}</span>
      </div>
    </div>
  );
}

function Doing({ run, now }: { run: RunView; now: number }): React.JSX.Element {
  const { trans } = useKit();
  const { doing, thinking } = run;
  const lasted = doing ? now - Date.parse(doing.since) : 0;
  return (
    <>
      {thinking && (
        <p className="bcc-Thinking" role="status">
          <span className="bcc-Thinking-dots" aria-hidden="true" />
          <span>
            {thinking.agent_name
              ? trans.__('%1 is thinking', thinking.agent_name)
              : trans.__('The planner is thinking')}
            {thinking.text && (
              <span className="bcc-Thinking-text">{thinking.text}</span>
            )}
          </span>
        </p>
      )}
      {doing && lasted > PATIENT_MS && (
        <p className="bcc-Doing">
          {trans.__('For %1 so far', duration(lasted, trans))}
        </p>
      )}
      {doing && lasted > SLOW_MS && (
        <p className="bcc-Doing" role="status">
          {trans.__('This may be slow; nothing is wrong so far.')}
        </p>
      )}
    </>
  );
}
