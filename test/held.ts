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

/**
 * From here on the drive of all paths that have `part` in them does not answer, as a network drive that is gone. Answers the names
 * of the calls that would have kept a thread; the others never come to an end.
 */
export function hang(t: Test, part: string): readonly string[] {
  const kept: string[] = []
  const isThere = ([path]: unknown[]) => `${path}`.includes(part)
  const undo = [
    ...callsOf(fs, (name) => name.endsWith('Sync')).map((at) =>
      at.replace((call, args) => {
        if (isThere(args)) kept.push(at.name)
        return call(args)
      }),
    ),
    ...callsOf(fs.promises).map((at) =>
      at.replace((call, args) => (isThere(args) ? new Promise(() => undefined) : call(args))),
    ),
  ]
  syncBuiltinESMExports()
  t.teardown(() => {
    for (const one of undo) one()
    syncBuiltinESMExports()
  })
  return kept
}

type Call = (args: unknown[]) => unknown

/** The functions of a module, each to be replaced until what it answers is called. */
function callsOf(module: object, isMeant: (name: string) => boolean = () => true) {
  return Object.entries(module).flatMap(([name, before]: [string, unknown]) => {
    if (typeof before !== 'function' || !isMeant(name)) return []
    const call: Call = (args) => Reflect.apply(before, module, args)
    const replace = (instead: (call: Call, args: unknown[]) => unknown) => {
      const around = (...args: unknown[]) => instead(call, args)
      Reflect.set(module, name, Object.assign(around, before)) // some bear others, as `realpathSync.native`
      return () => void Reflect.set(module, name, before)
    }
    return [{ name, replace }]
  })
}
