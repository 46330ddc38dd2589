import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

import type { IJupyterLabPageFixture } from '@jupyterlab/galata';

import { expect } from './fixtures';
import { pictureOf } from './pictures';
import { UI_TESTS } from './server';
import { panel, SIDEBAR, test, type Language } from './sidebar';

const AXE = readFileSync(
  resolve(UI_TESTS, '../node_modules/axe-core/axe.min.js'),
  'utf8'
);

/** What an accessibility checker finds in the sidebar that is serious or worse. */
export async function accessFindings(
  page: IJupyterLabPageFixture
): Promise<string[]> {
  await page.evaluate(AXE);
  return page.evaluate(async id => {
    const { axe } = window as unknown as {
      axe: {
        run: (where: string) => Promise<{
          violations: {
            id: string;
            impact: string;
            nodes: { html: string; failureSummary: string }[];
          }[];
        }>;
      };
    };
    const { violations } = await axe.run(`#${id}`);
    return violations
      .filter(({ impact }) => ['serious', 'critical'].includes(impact))
      .flatMap(({ id: rule, nodes }) =>
        nodes.map(
          ({ html, failureSummary }) => `${rule}: ${html}\n${failureSummary}`
        )
      );
  }, SIDEBAR);
}

/** The parts of the panel whose content is wider than they are. */
export async function cutOff(page: IJupyterLabPageFixture): Promise<string[]> {
  return page
    .locator(`#${SIDEBAR} [class^='bcc-']`)
    .evaluateAll((nodes: HTMLElement[]) =>
      nodes
        .filter(node => node.scrollWidth > node.clientWidth + 1)
        .filter(node => {
          const style = getComputedStyle(node);
          // An ellipsis says that there is more, and the title says what.
          return (
            style.display !== 'inline' &&
            style.textOverflow !== 'ellipsis' &&
            style.clipPath === 'none'
          );
        })
        .map(node => node.getAttribute('class') ?? '')
    );
}

const LIGHT = 'JupyterLab Light';
const DARK = 'JupyterLab Dark';
const HIGH_CONTRAST = 'JupyterLab Dark High Contrast';

/**
 * Check a view in all themes and from the narrowest width to the widest, and photograph it: light
 * and dark, 300 and 600 px wide.
 */
export async function portray(
  page: IJupyterLabPageFixture,
  view: string,
  language: Language = 'en'
): Promise<void> {
  // So many looks at the view take their time on a small machine.
  test.setTimeout(300_000);
  for (const width of [250, 900]) {
    await page.sidebar.setWidth(width, 'right');
    expect(await cutOff(page), `${view} at ${String(width)} px`).toEqual([]);
  }
  for (const theme of [HIGH_CONTRAST, DARK, LIGHT]) {
    await page.theme.setTheme(theme);
    for (const width of theme === HIGH_CONTRAST ? [] : [600, 300]) {
      await page.sidebar.setWidth(width, 'right');
      await page.mouse.move(0, 0);
      expect(await cutOff(page), `${view} at ${String(width)} px`).toEqual([]);
      const shade = theme === DARK ? 'dark' : 'light';
      await panel(page).screenshot({
        path: pictureOf(
          `sidebar/${view}-${shade}-${language}-${String(width)}.png`
        ),
        animations: 'disabled',
        // Another run of this server may be waiting, too: its toast does not belong here.
        style: '.Toastify { display: none; }'
      });
    }
    expect(await accessFindings(page), `${view}, ${theme}`).toEqual([]);
  }
  await page.sidebar.setWidth(380, 'right');
}
