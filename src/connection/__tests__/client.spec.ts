import { signalToPromise } from '@jupyterlab/testing';

import type { Connection } from '../../tokens';
import { Client, type IClientOptions } from '../client';
import { hello, LiveServer } from './live-server';

describe('Client', () => {
  let server: LiveServer;
  let client: Client;
  let seen: Connection[];

  function makeClient(options: Partial<IClientOptions> = {}): Client {
    const made = new Client({
      serverSettings: server.settings,
      backoff: { firstMs: 5, ceilingMs: 20 },
      ...options
    });
    made.connectionChanged.connect((_, connection) => {
      seen.push(connection);
    });
    return made;
  }

  beforeEach(async () => {
    seen = [];
    server = await LiveServer.start();
    client = makeClient();
  });

  afterEach(async () => {
    client.dispose();
    await server.stop();
  });

  it('is connecting at first, and connected once the server said hello', async () => {
    expect(client.connection).toBe('connecting');
    const received = signalToPromise(client.runNews);
    client.connect();
    const [, message] = await received;
    expect(message).toEqual(JSON.parse(hello()));
    expect(seen).toEqual(['connected']);
  });

  it('uses the base URL of the server and its token', async () => {
    client.connect();
    await signalToPromise(client.runNews);
    expect(server.urls).toEqual([
      '/user/ada/notebook-bcc/api/live?token=s3cr%26t'
    ]);
  });

  it('opens one socket, however often it is asked to', async () => {
    client.connect();
    client.connect();
    await signalToPromise(client.runNews);
    expect(server.urls).toHaveLength(1);
  });

  it('comes back by itself when the connection is lost', async () => {
    client.connect();
    await signalToPromise(client.runNews);
    const again = signalToPromise(client.runNews);
    server.dropAll();
    await again;
    expect(seen).toEqual(['connected', 'reconnecting', 'connected']);
  });

  it('keeps trying while the server is away', async () => {
    client.connect();
    await signalToPromise(client.runNews);
    const { port } = server;
    await server.stop();
    await new Promise(resolve => setTimeout(resolve, 150));
    expect(client.connection).toBe('reconnecting');

    const again = signalToPromise(client.runNews);
    server = await LiveServer.start(port);
    await again;
    expect(client.connection).toBe('connected');
  });

  it('does not trust a server that accepts and stays silent', async () => {
    server.greeting = null;
    client.dispose();
    client = makeClient({ helloTimeoutMs: 20 });
    client.connect();
    await signalToPromise(client.connectionChanged);
    expect(client.connection).toBe('reconnecting');
    server.greeting = hello();
    await signalToPromise(client.runNews);
    expect(client.connection).toBe('connected');
  });

  it('survives messages it does not understand', async () => {
    const debug = jest.spyOn(console, 'debug').mockReturnValue();
    client.connect();
    await signalToPromise(client.runNews);
    const next = signalToPromise(client.runNews);
    server.send('not json');
    server.send('{"type":"from-the-future"}');
    server.send('null');
    server.send(hello('stage_running'));
    const [, message] = await next;
    expect(message).toMatchObject({ state: 'stage_running' });
    expect(debug).toHaveBeenCalledTimes(3);
    debug.mockRestore();
  });

  it('notices at once that the machine is offline, and online again', async () => {
    client.dispose();
    client = makeClient({ backoff: { firstMs: 60_000, ceilingMs: 60_000 } });
    client.connect();
    await signalToPromise(client.runNews);
    window.dispatchEvent(new Event('offline'));
    expect(client.connection).toBe('reconnecting');
    const again = signalToPromise(client.runNews);
    window.dispatchEvent(new Event('online'));
    await again;
    expect(client.connection).toBe('connected');
  });

  it('stays silent after it was disposed', async () => {
    client.connect();
    await signalToPromise(client.runNews);
    client.dispose();
    client.dispose();
    client.connect();
    await new Promise(resolve => setTimeout(resolve, 60));
    expect(server.urls).toHaveLength(1);
    expect(seen).toEqual(['connected']);
  });

  it('calls the REST interface, and reports a refusal in its words', async () => {
    const answers = [
      new Response('{"playbooks":[]}', { status: 200 }),
      new Response('{"error":"E","message":"no","allowed":["cancel"]}', {
        status: 409
      })
    ];
    const urls: string[] = [];
    client.dispose();
    client = makeClient({
      serverSettings: {
        ...server.settings,
        fetch: (input: RequestInfo | URL) => {
          urls.push(input instanceof Request ? input.url : String(input));
          return Promise.resolve(answers.shift()!);
        }
      }
    });
    await expect(client.api.playbooks('zh', 'a b/c.ipynb')).resolves.toEqual(
      []
    );
    await expect(
      client.api.command('r1', { command: 'pause' })
    ).rejects.toMatchObject({
      message: 'no',
      status: 409,
      allowed: ['cancel']
    });
    expect(urls[0]).toContain(
      '/user/ada/notebook-bcc/api/playbooks?language=zh&notebook=a%20b%2Fc.ipynb'
    );
  });
});
