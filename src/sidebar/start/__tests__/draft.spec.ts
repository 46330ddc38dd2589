import { nullTranslator } from '@jupyterlab/translation';

import { ApiError, type IPlaybook } from '../../../connection/api';
import { fromNotebook } from '../../../notebook/files';
import { DEFAULT_SETTINGS } from '../../../settings';
import {
  dataPath,
  firstDraft,
  isServiceAddress,
  notebookPath,
  problemsOf,
  refusalOf,
  requestOf,
  suggestedName,
  targetOf
} from '../draft';

const trans = nullTranslator.load('notebook_bcc_ext');
const PLAYBOOK: IPlaybook = {
  name: 'lifecycle',
  title: 'Lifecycle',
  description: 'All of it',
  reads_goal: true,
  variables: {
    data_path: { description: 'the file', required: true },
    target: { description: 'the column' }
  }
};
const DRAFT = {
  ...firstDraft(DEFAULT_SETTINGS, false),
  playbook: 'lifecycle'
};
const NOTEBOOK = 'work/a.ipynb';

describe('The start form', () => {
  it('begins with the settings, and writes into a new notebook', () => {
    expect(DRAFT).toMatchObject({
      target: 'new',
      planner: 'embedded',
      approval: 'updates'
    });
    const remote = { ...DEFAULT_SETTINGS, plannerUrl: 'http://h:1' };
    expect(firstDraft(remote, true)).toMatchObject({
      planner: 'http',
      url: 'http://h:1',
      target: 'open'
    });
  });

  it.each([
    ['work/customers.csv', null, 'work/customers-report.ipynb'],
    ['customers.csv.gz', 'work/a.ipynb', 'customers.csv-report.ipynb'],
    ['.csv', null, '.csv-report.ipynb'],
    ['', 'work/a.ipynb', 'work/analysis.ipynb'],
    ['', null, 'analysis.ipynb'],
    ['https://x.org/a/b.csv?v=1', 'work/a.ipynb', 'work/b-report.ipynb'],
    ['/data/big.parquet', null, 'big-report.ipynb']
  ])('N4: data %p beside %p is reported in %p', (data, open, notebook) => {
    expect(suggestedName(data, open)).toBe(notebook);
  });

  it('N4: writes into the open notebook only when that was chosen', () => {
    const draft = { ...DRAFT, notebook: 'work/new' };
    expect(targetOf(draft, NOTEBOOK)).toBe('work/new.ipynb');
    expect(targetOf({ ...draft, target: 'open' }, NOTEBOOK)).toBe(NOTEBOOK);
    expect(targetOf({ ...draft, target: 'open' }, null)).toBe('work/new.ipynb');
  });

  it('says at the field what is missing', () => {
    expect(problemsOf(DRAFT, NOTEBOOK, PLAYBOOK, trans)).toEqual({
      data: 'This playbook needs it: the file'
    });
    const service = { ...DRAFT, planner: 'http' as const };
    expect(Object.keys(problemsOf(service, '', PLAYBOOK, trans))).toEqual([
      'notebook',
      'planner'
    ]);
    const unnamed = { ...DRAFT, data: 'x', free: [{ name: '', value: '1' }] };
    expect(Object.keys(problemsOf(unnamed, NOTEBOOK, PLAYBOOK, trans))).toEqual(
      ['variables']
    );
  });

  it('becomes a request; values are JSON where they can be', () => {
    const draft = {
      ...DRAFT,
      data: 'work/data/c.csv',
      declared: { target: 'price', gone: 'x' },
      free: [
        { name: 'depth', value: '3' },
        { name: '', value: '' }
      ]
    };
    expect(requestOf(draft, NOTEBOOK, PLAYBOOK)).toEqual({
      notebook: NOTEBOOK,
      planner: { kind: 'embedded', playbook: 'lifecycle' },
      goal: null,
      data: 'data/c.csv',
      variables: { target: 'price', depth: 3 },
      approval: 'updates'
    });
  });

  it.each([
    [400, "RunRequest: field 'planner.http.url' is not valid", 'planner'],
    [400, 'dslc_base_url must be an address', 'planner'],
    [404, "there is no playbook 'x'", 'planner'],
    [400, "RunRequest: field 'variables' is not valid", 'variables'],
    [500, 'the store is broken', 'form']
  ])('puts a refusal (%i, %s) at %s', (status, message, field) => {
    const refusal = new ApiError(status, '', message, []);
    expect(refusalOf(refusal, trans)).toEqual({ [field]: message });
  });

  it('says in its own words that a notebook is taken', () => {
    const refusal = new ApiError(409, '', 'the run 1 is still active', []);
    expect(refusalOf(refusal, trans).notebook).toMatch(/still active/);
    expect(refusalOf(new TypeError('offline'), trans).form).toMatch(/reached/);
  });

  it.each([
    ['http://localhost:28600', true],
    [' https://planner.example/v2 ', true],
    ['ftp://somewhere', false],
    ['localhost:28600', false],
    ['http://', false],
    ['', false]
  ])('takes %p as an address: %p', (url, good) => {
    expect(isServiceAddress(url)).toBe(good);
  });

  it.each([
    ['customers.csv', 'customers.csv'],
    [' work/../customers.csv ', 'customers.csv'],
    ['../customers.csv', null],
    ['/data/customers.csv', null],
    ['https://example.org/customers.csv', null],
    ['', null]
  ])('looks for the data file %p at %p', (data, path) => {
    expect(dataPath(data)).toBe(path);
  });

  it('names files as the kernel of the notebook sees them', () => {
    expect(fromNotebook('work/a.ipynb', 'work/data/c.csv')).toBe('data/c.csv');
    expect(fromNotebook('work/a.ipynb', 'c.csv')).toBe('../c.csv');
    expect(fromNotebook('a.ipynb', 'c.csv')).toBe('c.csv');
    expect(notebookPath('a.ipynb')).toBe('a.ipynb');
  });
});
