import plugin from './plugin';

export * from './tokens';
export default [plugin];
