/**
 * The process cannot go on. `over`: others may run its accounts by now, and the next life of this node is a new one;
 * else a part of it is gone that it cannot be without.
 */
export type OnFatal = (reason: string, why?: 'over') => void
