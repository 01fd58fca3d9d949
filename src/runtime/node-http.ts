import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)

/**
 * HTTP as Node itself speaks it, loaded by the first call. An `import` of it reads each of its names, and some of them load a
 * second client of Node: 30 ms of processor time of every thread that might once have to ask somebody.
 */
export const nodeHttp = (): typeof import('node:http') => require('node:http')
/** The same under TLS. */
export const nodeHttps = (): typeof import('node:https') => require('node:https')
