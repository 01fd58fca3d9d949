import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import type { Test } from 'tap'

/**
 * From here on nothing can be removed whose path has one of these in it: a scanner or an indexer has it open, as Windows tells
 * that. Answers the end of it, which comes with that of the test at the latest.
 */
export function hold(t: Test, ...parts: readonly string[]): () => void {
  const { rmSync, promises } = fs
  const { rm } = promises
  const mustBeFree = (path: fs.PathLike) => {
    if (!parts.some((part) => `${path}`.includes(part))) return
    throw Object.assign(new Error(`EBUSY: it is in use, rm ${path}`), { code: 'EBUSY' })
  }
  fs.rmSync = (path, options) => {
    if (fs.existsSync(path)) mustBeFree(path)
    rmSync(path, options)
  }
  promises.rm = async (path, options) => {
    if (fs.existsSync(path)) mustBeFree(path)
    await rm(path, options)
  }
  syncBuiltinESMExports()
  const letGo = () => {
    Object.assign(fs, { rmSync })
    Object.assign(promises, { rm })
    syncBuiltinESMExports()
  }
  t.teardown(letGo)
  return letGo
}

/** For `node --require`: the same in a process of its own. */
export const holdScript = (part: string): string => `
  const fs = require('node:fs')
  const { rmSync } = fs
  fs.rmSync = (path, options) => {
    if (!String(path).includes(${JSON.stringify(part)})) return rmSync(path, options)
    throw Object.assign(new Error('EBUSY: it is in use, rm ' + path), { code: 'EBUSY' })
  }
  require('node:module').syncBuiltinESMExports()
`
