import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { digestOf, type ScriptParts } from './generate.ts'

const FOLDER = fileURLToPath(new URL('./script', import.meta.url))
/** Paths of the parts from their folder, in the order in which they are joined. */
const ORDER = join(FOLDER, 'ORDER.json')

/** The parts of the script as they lie beside this program. Throws when one is missing. */
export const readParts = (): ScriptParts =>
  (JSON.parse(readFileSync(ORDER, 'utf8')) as readonly string[]).map((path) => ({
    name: basename(path, '.py'),
    text: readFileSync(join(FOLDER, path), 'utf8'),
  }))

let digest: string | undefined

/** Which script this version of the service makes; it does not change while it runs. */
export const ownDigest = (): string => {
  digest ??= digestOf(readParts())
  return digest
}
