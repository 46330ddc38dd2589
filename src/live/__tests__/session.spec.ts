import {
  codeCell,
  copyOf,
  FakeServer,
  insertion,
  notebook,
  settled,
  Tab,
  textCell
} from './fake-server';

const MARK = { notebook_bcc: { run: 'r1', stage: 's1' } };

describe('an open notebook', () => {
  let server: FakeServer;
  let tab: Tab;

  beforeEach(() => {
    server = new FakeServer(notebook(textCell('own')));
    tab = new Tab(server);
  });

  afterEach(() => {
    for (const { live } of server.tabs) {
      live.dispose();
    }
  });

  function attaches(): object[] {
    return tab.said.filter(({ type }) => type === 'attach');
  }

  describe('attaches', () => {
    it('when it is opened, with its place in the log', () => {
      expect(attaches()).toEqual([
        { type: 'attach', path: 'a.ipynb', log_id: null, applied_seq: 0 }
      ]);
      expect(tab.live.hasLog).toBe(false);
    });

    it('again when the connection comes back, with the place it has reached', async () => {
      server.record(insertion(textCell('a'), 'own'));
      tab.come('reconnecting');
      tab.come('connected');
      await settled();
      tab.come('connected');
      expect(attaches().at(-1)).toMatchObject({
        log_id: 'log-1',
        applied_seq: 1
      });
      expect(tab.sources).toEqual(['text of own', 'text of a']);
    });

    it('to the new name of its notebook', () => {
      tab.context.pathChanged.emit('b.ipynb');
      expect(tab.said.slice(-2)).toMatchObject([
        { type: 'detach', path: 'a.ipynb' },
        { type: 'attach', path: 'b.ipynb' }
      ]);
    });

    it('to where the server says it was moved', () => {
      const moved = { type: 'moved', path: 'a.ipynb' } as const;
      tab.hear({ ...moved, new_path: 'folder/a.ipynb' });
      tab.hear({ ...moved, path: 'folder/a.ipynb', new_path: null });
      expect(tab.said.at(-1)).toMatchObject({
        type: 'attach',
        path: 'folder/a.ipynb'
      });
    });

    it('no more when it is closed', async () => {
      tab.live.dispose();
      expect(tab.said.at(-1)).toEqual({ type: 'detach', path: 'a.ipynb' });
      const { length } = tab.said;
      tab.come('connected');
      server.write(insertion(textCell('a')));
      await settled();
      expect(tab.said).toHaveLength(length);
      expect(tab.sources).toEqual(['text of own']);
    });
  });

  describe('follows the log', () => {
    beforeEach(() => {
      server.record();
      tab.live.log.attach();
    });

    it('in order, and each operation once', async () => {
      server.write(insertion(textCell('a'), 'own'));
      server.write(insertion(textCell('b'), 'a'));
      tab.hear(server.operations(server.log));
      await settled();
      expect(tab.sources).toEqual(['text of own', 'text of a', 'text of b']);
      expect(tab.content.metadata.notebook_bcc).toEqual({
        log_id: 'log-1',
        applied_seq: 2
      });
      expect(tab.model.dirty).toBe(false);
    });

    it('and asks for what is missing in between', async () => {
      server.record(insertion(textCell('a'), 'own'));
      server.write(insertion(textCell('b'), 'a'));
      await settled();
      expect(attaches().at(-1)).toMatchObject({ applied_seq: 0 });
      expect(tab.sources).toEqual(['text of own', 'text of a', 'text of b']);
    });

    it('not of another notebook or another log', async () => {
      const ops = server.record(insertion(textCell('a'), 'own'));
      const message = server.operations(ops);
      tab.hear({ ...message, path: 'other.ipynb' });
      tab.hear({ ...message, log_id: 'log-0' } as typeof message);
      await settled();
      expect(tab.sources).toEqual(['text of own']);
    });

    it('from the beginning of a new one', async () => {
      server.write(insertion(textCell('a'), 'own'));
      await settled();
      server.log.length = 0;
      server.logId = 'log-2';
      tab.come('connected');
      server.write(insertion(textCell('b'), 'a'));
      await settled();
      expect(tab.sources.at(-1)).toBe('text of b');
      expect(tab.live.log.at).toEqual({ logId: 'log-2', seq: 1 });
    });

    it('and says how far it is, once for many', async () => {
      jest.useFakeTimers();
      try {
        server.write(insertion(textCell('a'), 'own'));
        server.write(insertion(textCell('b'), 'a'));
        await jest.advanceTimersByTimeAsync(1_100);
      } finally {
        jest.useRealTimers();
      }
      expect(tab.said.filter(({ type }) => type === 'ack')).toEqual([
        { type: 'ack', path: 'a.ipynb', seq: 2 }
      ]);
    });

    it('and reads the file again when an operation cannot be applied', async () => {
      const error = jest.spyOn(console, 'error').mockReturnValue();
      server.write({ op: 'insert', cell: null, after_id: null } as never);
      server.log.length = 0;
      server.record(insertion(textCell('a'), 'own'));
      await settled();
      expect(tab.pulls).toBe(1);
      expect(tab.sources).toEqual(['text of own', 'text of a']);
      error.mockRestore();
    });

    it('and reads the file again when the server says so', async () => {
      server.record(insertion(textCell('a'), 'own'));
      tab.hear({ type: 'resync', path: 'a.ipynb', reason: 'too slow' });
      await settled();
      expect(tab.pulls).toBe(1);
      expect(tab.sources).toEqual(['text of own', 'text of a']);
      expect(tab.live.log.at).toEqual({ logId: 'log-1', seq: 1 });
    });
  });

  describe("keeps the person's edits", () => {
    beforeEach(async () => {
      const cell = { ...codeCell('a', 'x = 1'), metadata: copyOf(MARK) };
      server.write(insertion(cell, 'own'));
      tab.live.log.attach();
      await settled();
    });

    it.each([
      ['rewrite', { op: 'source', cell_id: 'a', source: 'x = 2' }],
      ['delete', { op: 'delete', cell_id: 'a' }]
    ])('when a run would %s the cell', async (_, op) => {
      tab.type('a', 'x = 10');
      server.write({ if_written: null, ...op } as never);
      await settled();
      expect(tab.sources).toEqual(['text of own', 'x = 10']);
      expect(tab.model.dirty).toBe(true);
    });

    it('but not what they left alone', async () => {
      const source = { op: 'source', cell_id: 'a', if_written: null };
      server.write(
        { ...source, source: 'x = 2' } as never,
        { ...source, source: 'x = 3' } as never
      );
      await settled();
      expect(tab.sources).toEqual(['text of own', 'x = 3']);
    });

    it('and tells the server once which cells they changed', async () => {
      tab.type('a', 'x = 10');
      tab.type('a', 'x = 11');
      await settled();
      const told = tab.said.filter(({ type }) => type === 'edited');
      expect(told).toEqual([
        { type: 'edited', path: 'a.ipynb', cell_ids: ['a'] }
      ]);
    });

    it('and saves them before the cell is run', async () => {
      tab.type('a', 'x = 10');
      tab.hear({ type: 'wanted', path: 'a.ipynb', cell_id: 'a' });
      await settled();
      expect(server.file.cells.map(({ source }) => source)).toEqual([
        'text of own',
        'x = 10'
      ]);
      expect(tab.said).toContainEqual({
        type: 'settled',
        path: 'a.ipynb',
        cell_id: 'a'
      });
    });

    it('and undo takes back nothing but those', async () => {
      const { sharedModel } = tab.model;
      sharedModel.insertCell(0, { cell_type: 'raw', source: 'mine' });
      server.write(insertion(textCell('b'), 'a'));
      await settled();
      sharedModel.undo();
      expect(tab.sources).toEqual(['text of own', 'x = 1', 'text of b']);
      expect(sharedModel.canUndo()).toBe(false);
    });
  });

  describe('saves', () => {
    it('what it shows, with its place in the log', async () => {
      server.write(insertion(textCell('a'), 'own'));
      tab.live.log.attach();
      await settled();
      tab.type('own', 'mine');
      await tab.save();
      expect(server.file).toMatchObject({
        cells: [{ source: 'mine' }, { source: 'text of a' }],
        metadata: { notebook_bcc: { log_id: 'log-1', applied_seq: 1 } }
      });
      expect(tab.model.dirty).toBe(false);
    });

    it("another program's changes together with its own", async () => {
      server.write(insertion(textCell('a'), 'own'));
      tab.live.log.attach();
      await settled();
      tab.type('own', 'mine');
      const theirs = copyOf(tab.content);
      theirs.cells[0]!.source = 'text of own';
      theirs.cells.push(textCell('theirs'));
      server.version += 1;
      server.file = theirs;
      await tab.save();
      expect(server.file.cells.map(({ source }) => source)).toEqual([
        'mine',
        'text of a',
        'text of theirs'
      ]);
      expect(tab.sources).toEqual(['mine', 'text of a', 'text of theirs']);
    });

    it('nothing over a cell that both rewrote, before the person says so', async () => {
      server.write(insertion(textCell('a'), 'own'));
      tab.live.log.attach();
      await settled();
      tab.type('own', 'mine');
      const theirs = copyOf(tab.content);
      theirs.cells[0]!.source = 'theirs';
      server.rewrite(theirs);
      await settled();
      const told = await tab.live.check();
      expect(told?.hash).toBe(server.hash);
      expect(tab.sources[0]).toBe('mine');
      await tab.live.save(); // "Overwrite"
      expect(server.file.cells[0]!.source).toBe('mine');
    });

    it('as if the dialog was closed, when both rewrote it during the save', async () => {
      server.write(insertion(textCell('a'), 'own'));
      tab.live.log.attach();
      await settled();
      tab.type('own', 'mine');
      server.version += 1;
      server.file = copyOf(tab.content);
      server.file.cells[0]!.source = 'theirs';
      await expect(tab.live.save()).rejects.toMatchObject({
        name: 'ModalCancelError'
      });
      expect(server.file.cells[0]!.source).toBe('theirs');
      expect(tab.sources[0]).toBe('mine');
    });

    it('and stays unsaved with what was typed meanwhile', async () => {
      server.write(insertion(textCell('a'), 'own'));
      tab.live.log.attach();
      await settled();
      server.duringSave = () => {
        tab.type('own', 'typed meanwhile');
      };
      await tab.save();
      expect(tab.model.dirty).toBe(true);
      expect(server.file.cells[0]!.source).toBe('text of own');
    });

    it('through JupyterLab where there is no log', async () => {
      expect(await tab.live.check()).toBeNull();
    });
  });

  describe('in two tabs', () => {
    let other: Tab;

    beforeEach(async () => {
      other = new Tab(server);
      server.record();
      tab.live.log.attach();
      other.live.log.attach();
      server.write(insertion(textCell('a'), 'own'));
      await settled();
    });

    it('shows the same cells, whoever saves', async () => {
      tab.type('own', 'from one');
      await tab.save();
      await settled();
      server.write(insertion(textCell('b'), 'a'));
      await settled();
      const shown = ['from one', 'text of a', 'text of b'];
      expect(other.sources).toEqual(shown);
      expect(tab.sources).toEqual(shown);
      await other.save();
      expect(server.file.cells.map(({ source }) => source)).toEqual(shown);
    });

    it('keeps what was typed in each of them', async () => {
      tab.type('own', 'from one');
      other.type('a', 'from the other');
      await tab.save();
      await other.save();
      await settled();
      const both = ['from one', 'from the other'];
      expect(tab.sources).toEqual(both);
      expect(other.sources).toEqual(both);
    });
  });
});
