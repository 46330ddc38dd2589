import live from './live/plugin';
import plugin from './plugin';

export * from './tokens';
export default [plugin, live];
