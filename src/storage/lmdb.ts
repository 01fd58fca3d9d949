import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)

/**
 * The database library, loaded by the first call: a command that opens no database works where its machine
 * code cannot be loaded, and so does the doctor. Throws what the system says.
 */
export const lmdb = (): typeof import('lmdb') => require('lmdb')
