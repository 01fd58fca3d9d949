import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'

const require = createRequire(import.meta.url)

/**
 * The database library, loaded by the first call: a command that opens no database works where its machine
 * code cannot be loaded, and so does the doctor. Throws what the system says.
 *
 * It is the module that `import` gives, not its copy for CommonJS: two of them in a thread are two libraries.
 */
export const lmdb = (): typeof import('lmdb') => require(fileURLToPath(import.meta.resolve('lmdb')))
