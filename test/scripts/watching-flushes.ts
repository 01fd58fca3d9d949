const WATCH = `
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
const { openSync, fsyncSync, renameSync } = fs
const paths = new Map()
fs.openSync = (path, ...rest) => {
  const fd = openSync(path, ...rest)
  paths.set(fd, path)
  return fd
}
fs.fsyncSync = (fd) => {
  console.log('flushed', paths.get(fd))
  fsyncSync(fd)
}
fs.renameSync = (from, to) => {
  console.log('named', to)
  renameSync(from, to)
}
syncBuiltinESMExports()
`

/** A program that tells of each file that it flushes, and when folders get their names. */
export const watchingFlushes = (program: string): string => `${WATCH}${program}`
