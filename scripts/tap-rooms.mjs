/**
 * Folders of tests that need no process each: pure code, tables and properties. Their files run in one process a
 * folder (`tap-together.mjs`), so they must change nothing in it; `test/architecture/tidy.test.ts` holds them to that.
 */
export const TOGETHER = ['test/account', 'test/domain', 'test/strategy', 'test/web']

/** Whether a file runs no service. */
export const isPure = (file) => TOGETHER.some((folder) => file.startsWith(`${folder}/`))

/** The files in the order given, those of one such folder in one list, each other in a list of its own. */
export function groupsOf(files) {
  const groups = new Map()
  for (const file of files) {
    const key = TOGETHER.find((folder) => file.startsWith(`${folder}/`)) ?? file
    groups.set(key, [...(groups.get(key) ?? []), file])
  }
  return [...groups.values()]
}
