import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { generateScript, type ScriptSettings } from '../../../src/drivers/bigqmt/generate.ts'
import { readParts } from '../../../src/drivers/bigqmt/script-parts.ts'

/** Where the parts of the script are. */
export const PARTS_FOLDER = fileURLToPath(
  new URL('../../../src/drivers/bigqmt/script', import.meta.url),
)

/** Paths of the parts, in their order. */
export const partPaths = (): readonly string[] => {
  const names = JSON.parse(readFileSync(join(PARTS_FOLDER, 'ORDER.json'), 'utf8')) as string[]
  return names.map((name) => join(PARTS_FOLDER, name))
}

const PLAIN: ScriptSettings = {
  account_id: '',
  account_type: 'STOCK',
  token: '',
  version: '0.0.0',
  transport: 'socket',
  host: '127.0.0.1',
  port: 0,
  folder: '',
  limits: {},
}

/** The script as users get it, in GBK. */
export function scriptBytes(settings: Partial<ScriptSettings>): Uint8Array {
  const made = generateScript(readParts(), { ...PLAIN, ...settings })
  if (!made.ok) throw new Error(made.error)
  return made.value
}

/** The same as text. */
export const joinedScript = (settings: Partial<ScriptSettings>): string =>
  new TextDecoder('gbk').decode(scriptBytes(settings))

/** @returns the path */
export function writeScript(folder: string, settings: Partial<ScriptSettings>): string {
  const path = join(folder, 'steward-script.py')
  writeFileSync(path, scriptBytes(settings))
  return path
}
