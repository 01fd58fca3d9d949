// npm run dependencies: writes docs/dependencies.md from package-lock.json.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { productionPackages, readLock } from './packages.mjs'
import { isStarted, ROOT } from './runtime.mjs'

const HEAD = `# Dependencies

What the running service may load, on any platform, made from \`package-lock.json\` by \`npm run dependencies\`; a test compares them. Tools
for building and testing are not here. \`npm run sbom\` writes the same list as CycloneDX into \`sbom.json\`.

- **Versions are exact**, and npm compares every download with the SHA-512 of the lock file.
- **No install script runs**: \`.npmrc\` says \`ignore-scripts\`, and the set-up says so too. Machine code comes ready in the packages
  marked below, so none is needed.
- **The pages bundle theirs**, which the service never loads: Vue with pinia, vue-router and vue-i18n, Element Plus, uPlot, lightweight-charts, and
  \`@tanstack/vue-virtual\` (MIT), which says which rows of a long table are in the window. Rows differ in height (a message in two lines, an entry that is
  open), and to follow heights while the page is scrolled is where code of one's own goes wrong. It costs 10 kB, on the screens with such a table only.
- **Nothing reports to anybody.** \`swagger-ui-dist\` asks for \`@scarf/scarf\`, which tells a third party of each installation: \`overrides\` in
  package.json puts \`atomic-sleep\` (which is here anyway, and is never loaded from there) in its place. \`@opentelemetry/api\` is the empty
  interface that \`prom-client\` brings along; what would send something is not in the tree. A test looks at the lock file for both.
- **Machine code is looked at at each start.** When the set-up has installed the packages it keeps the SHA-256 of every file of machine code that this
  platform may load in \`node_modules/.steward-binaries.json\`, and \`steward\` compares before any of it is loaded: a difference is one
  line and exit code 2. That finds a damaged disk, a package that was installed by hand beside the lock file, and a scanner that took a file
  away. **It is no protection from somebody who may write into this folder**: he changes the list as well, or the program that reads it.
  The Node that runs all this is not among them: it cannot vouch for itself.
- **LMDB's binary for Windows is a debug build**, in every version since 3.0 (looked at with 3.5.6): it is larger and slower, and an open that fails may
  spin for ever instead of saying why. So each start on Windows, and \`steward doctor\` everywhere, first opens, writes and reads a small database in
  \`data_dir\` in a process of its own (\`bin/probe.mjs\`), which is ended when it says nothing for \`limits.examine.silence_ms\`. Databases that
  exist are looked through the same way before they are opened. What spins later, in the store's thread, is found by its heart: the process ends.
- **\`pinyin-pro\` tells how names of stocks are spoken**, for the search by pinyin: 银行 and 重庆 need words, so a table of characters would not do. One worker
  file loads it, in a thread of the pool, when there are new names; nothing that trades depends on it.
- **\`@nats-io/*\` speaks with the servers of a cluster** ([0044](decisions/0044-a-cluster-is-a-journal-on-nats.md)) and is loaded only where the configuration has a
  section \`cluster\`: pure JavaScript, 1.9 MB. They are no optional packages of npm: parts of them want Node 22, so an npm that runs on Node 18 or 20
  would leave them out without a word, and the set-up runs on any Node.
- **Only uWebSockets.js needs the Visual C++ runtime** on Windows: \`vcruntime140.dll\`, \`vcruntime140_1.dll\` and \`msvcp140.dll\`, in the system or beside its
  own \`.node\` file. It is loaded when something serves, so everything else works without.
`

/** The page for a lock file. */
export function dependenciesPage(lock) {
  const packages = productionPackages(lock)
  const rows = groups(packages).map(
    ({ names, version, license, publisher, source, native }) =>
      `| ${names} | ${version} | ${license} | ${publisher ?? '**unknown**'} | ${source ?? ''} | ${native} |`,
  )
  const table = [
    '| Package | Version | Licence | Publisher | Source | Machine code |',
    '|---|---|---|---|---|---|',
    ...rows,
  ]
  return `${HEAD}\n${table.join('\n')}\n`
}

/** Packages that are the same thing for several platforms are one row. */
function groups(packages) {
  const found = new Map()
  for (const each of packages) {
    const family = each.platform === '' ? each.path : `${each.source} ${each.version} platforms`
    found.set(family, [...(found.get(family) ?? []), each])
  }
  return [...found.values()].map((members) => {
    const [first] = members
    const { name, as, version, license, publisher, source, isNative } = first
    const shown = name === as ? `\`${name}\`` : `\`${name}\` as \`${as}\``
    if (members.length === 1) {
      const native = first.platform || (isNative ? 'yes' : '')
      return { names: shown, version, license, publisher, source, native }
    }
    const names = `${shown} and ${members.length - 1} more of its kind`
    const native = members.map(({ platform }) => platform).join(', ')
    return { names, version, license, publisher, source, native }
  })
}

if (isStarted(import.meta.url)) {
  writeFileSync(join(ROOT, 'docs', 'dependencies.md'), dependenciesPage(readLock(ROOT)))
}
