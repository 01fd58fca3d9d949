import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Where the parts of the script are. */
export const PARTS_FOLDER = fileURLToPath(
  new URL('../../../src/drivers/bigqmt/script', import.meta.url),
)

/** Paths of the parts, in their order. */
export const partPaths = (): readonly string[] => {
  const names = JSON.parse(readFileSync(join(PARTS_FOLDER, 'ORDER.json'), 'utf8')) as string[]
  return names.map((name) => join(PARTS_FOLDER, name))
}

const moduleOf = (path: string) => /([^\\/]+)\.py$/.exec(path)?.[1] ?? ''

/** The parts as one script: what they import from each other is in it already. */
export function joinedScript(settings: object): string {
  const paths = partPaths()
  const own = new Set(paths.map(moduleOf))
  const isOwnImport = (line: string) => own.has(/^from (\w+) import /.exec(line)?.[1] ?? '')
  const parts = paths.map((path) =>
    readFileSync(path, 'utf8')
      .split('\n')
      .filter((line) => !isOwnImport(line))
      .join('\n'),
  )
  const text = `#coding:gbk\n${parts.join('\n\n')}`
  return text.replace(/^SETTINGS = \{\}$/m, () => `SETTINGS = ${JSON.stringify(settings)}`)
}

/** @returns the path */
export function writeScript(
  folder: string,
  settings: object,
  encode: (text: string) => Uint8Array,
): string {
  const path = join(folder, 'steward-script.py')
  writeFileSync(path, encode(joinedScript(settings)))
  return path
}
