import { statSync } from 'node:fs'
import { dirname } from 'node:path'

const DENIED: ReadonlySet<unknown> = new Set(['EACCES', 'EPERM'])

/**
 * The folder that keeps this user from seeing whether anything has this name; undefined: he sees it. What nobody may
 * look at is not absent.
 */
export function hiddenBy(path: string): string | undefined {
  try {
    statSync(path, { throwIfNoEntry: false })
    return undefined
  } catch (error) {
    if (!DENIED.has(Reflect.get(Object(error), 'code'))) return undefined
    const folder = dirname(path)
    return hiddenBy(folder) ?? folder
  }
}
