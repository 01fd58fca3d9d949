import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { COMMANDS } from '../../src/config/commands/table.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const TEXT = /\.(md|ts|mjs|vue|html|cmd|txt|py|json|css)$/
/** Outside of this folder it would run whatever somebody has published under that name. */
const FOREIGN = new RegExp(['npx', '(--?\\S+ +)*steward\\b'].join(' +'))

const NOT_OURS = /^(node_modules|\.|dist$|bundles$|coverage$)/

/** Texts of the repository, wherever somebody may read or run them. */
function files(folder = ''): readonly string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    if (NOT_OURS.test(entry.name)) return []
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`
    if (entry.isDirectory()) return files(path)
    return TEXT.test(entry.name) ? [path] : []
  })
}

const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8')

t.test('no text tells anybody to run a program of a registry that has our name', async (t) => {
  t.strictSame(
    files().filter((file) => FOREIGN.test(read(file))),
    [],
  )
  t.match(['npx', '-y', 'steward up'].join(' '), FOREIGN, 'it would be found')
})

t.test('the table of the README has every command, and no other', async (t) => {
  const rows = Array.from(read('README.md').matchAll(/^\| `steward (\w+)/gm), ([, name]) => name)
  t.strictSame([...new Set(rows)].sort(), Object.keys(COMMANDS).sort())
})

t.test(
  'commands for PowerShell are those that PowerShell does not take for something else',
  async (t) => {
    for (const page of ['docs/windows.md', 'docs/windows-client.md']) {
      const blocks = Array.from(
        read(page).matchAll(/```powershell\n([\s\S]*?)```/g),
        ([, code]) => code,
      )
      for (const code of blocks) {
        t.notMatch(code, /^\s*(curl|npm|npx)\s/m, `${page}: curl.exe, npm.cmd`)
        t.notMatch(code, /&&|\^$/m, `${page}: one line each`)
      }
    }
  },
)
