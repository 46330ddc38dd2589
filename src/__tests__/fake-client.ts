import { Signal } from '@lumino/signaling';

import type { Client } from '../client';
import type { ServerMessage } from '../messages';
import type { RunView, State } from '../protocol';
import type { Connection } from '../tokens';

/** A run of which only the identity matters. */
export const SOME_RUN = { id: 'r1', state: 'step_running' } as RunView;

/**
 * A client without a network: tests say what the server says.
 */
export class FakeClient {
  readonly connectionChanged = new Signal<this, Connection>(this);
  readonly messageReceived = new Signal<this, ServerMessage>(this);
  connection: Connection = 'connecting';

  become(connection: Connection): void {
    this.connection = connection;
    this.connectionChanged.emit(connection);
  }

  greet(state: State, runs: RunView[] = []): void {
    this.become('connected');
    this.messageReceived.emit({ type: 'hello', version: '1.2.3', state, runs });
  }

  asClient(): Client {
    return this as unknown as Client;
  }
}
