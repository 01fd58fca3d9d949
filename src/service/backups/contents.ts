import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join, sep } from 'node:path'
import { err, ok, type Result } from '../../domain/result.ts'

/** Beside the copied databases: their names, so that one that got lost on the way to another disk is missed. */
const CONTENTS_FILE = 'backup-contents.json'

/** `databases`: folders of a copy, relative to it. */
export function writeContents(copy: string, databases: readonly string[]): void {
  const names = databases.map((folder) => folder.split(sep).join('/'))
  const text = `${JSON.stringify({ version: 1, databases: names }, null, 2)}\n`
  writeFileSync(join(copy, CONTENTS_FILE), text, { mode: 0o600 })
}

/** What the copy was made with and has no more; nothing, where an earlier release has made it. The error is one line. */
export function lackingOf(
  copy: string,
  databases: readonly string[],
): Result<readonly string[], string> {
  const path = join(copy, CONTENTS_FILE)
  if (!existsSync(path)) return ok([])
  try {
    const { databases: meant } = JSON.parse(readFileSync(path, 'utf8')) as { databases: string[] }
    const there = new Set(databases)
    return ok(meant.map((name) => join(...name.split('/'))).filter((name) => !there.has(name)))
  } catch (error) {
    return err(
      `${path} 无法读取 (cannot be read): ${error instanceof Error ? error.message : error}`,
    )
  }
}
