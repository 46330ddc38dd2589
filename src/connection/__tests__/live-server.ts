import type { AddressInfo } from 'node:net';

import { ServerConnection } from '@jupyterlab/services';
import { WebSocketServer } from 'ws';

/**
 * A real WebSocket server on a free port, in place of the Jupyter server.
 */
export class LiveServer {
  static async start(port = 0): Promise<LiveServer> {
    const server = new WebSocketServer({ port, host: '127.0.0.1' });
    await new Promise(resolve => server.once('listening', resolve));
    return new LiveServer(server);
  }

  private constructor(private readonly _server: WebSocketServer) {
    _server.on('connection', (socket, request) => {
      this.urls.push(request.url ?? '');
      if (this.greeting !== null) {
        socket.send(this.greeting);
      }
    });
  }

  /** What each new connection is told first; `null` for a server that says nothing. */
  greeting: string | null = hello();
  readonly urls: string[] = [];

  get port(): number {
    return (this._server.address() as AddressInfo).port;
  }

  get settings(): ServerConnection.ISettings {
    return ServerConnection.makeSettings({
      baseUrl: `http://127.0.0.1:${String(this.port)}/user/ada/`,
      wsUrl: `ws://127.0.0.1:${String(this.port)}/user/ada/`,
      token: 's3cr&t',
      appendToken: true
    });
  }

  send(text: string): void {
    for (const socket of this._server.clients) {
      socket.send(text);
    }
  }

  dropAll(): void {
    for (const socket of this._server.clients) {
      socket.terminate();
    }
  }

  async stop(): Promise<void> {
    this.dropAll();
    await new Promise(resolve => {
      this._server.close(resolve);
    });
  }
}

export function hello(state = 'idle'): string {
  return JSON.stringify({ type: 'hello', version: '1.2.3', state, runs: [] });
}
