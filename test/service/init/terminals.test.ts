import t from 'tap'
import { consoleText, installedBy, notedLocations } from '../../../src/service/init/places.ts'
import { findTerminals, SEARCH, type TreeEntry } from '../../../src/service/init/terminals.ts'

/** Folders of a computer, each by its whole path; what does not answer is not among them. */
function computer(...paths: string[]) {
  const folders = new Map<string, Map<string, TreeEntry>>()
  for (const path of paths) {
    const parts = path.split('\\')
    for (let at = 1; at < parts.length; at++) {
      const folder = at === 1 ? `${parts[0]}\\` : parts.slice(0, at).join('\\')
      const name = parts[at] ?? ''
      const inside = folders.get(folder) ?? new Map<string, TreeEntry>()
      folders.set(folder, inside.set(name, { name, isFolder: !/\.\w{3}$/.test(name) }))
    }
  }
  const asked: string[] = []
  let nowMs = 0
  return {
    asked,
    nowMs: () => nowMs,
    async list(folder: string) {
      asked.push(folder)
      nowMs += 1
      return [...(folders.get(folder)?.values() ?? [])]
    },
  }
}

const DRIVES = ['C:\\', 'D:\\'].map((folder) => ({ folder, isCrowded: true }))

t.test('terminals are found by their usual names, those of the minimal mode first', async (t) => {
  const tree = computer(
    'C:\\Windows\\System32\\userdata',
    'C:\\国金证券QMT交易端\\userdata\\users\\88001234',
    'D:\\国金QMT交易端模拟\\userdata_mini\\users\\88005678',
    'D:\\国金QMT交易端模拟\\userdata_mini\\users\\config.xml',
    'D:\\Games\\qmt\\userdata_mini',
    'D:\\MyQMT\\bin.x64\\userdata_mini',
  )
  t.strictSame(await findTerminals(tree, DRIVES), {
    found: [
      {
        folder: 'D:\\国金QMT交易端模拟\\userdata_mini',
        isMini: true,
        accountIds: ['88005678'],
      },
      { folder: 'C:\\国金证券QMT交易端\\userdata', isMini: false, accountIds: ['88001234'] },
    ],
    isCut: false,
  })
  t.notOk(tree.asked.includes('C:\\Windows'), 'nobody looks where no terminal is')
})

t.test('a place that an installer has noted is searched whatever its name, once', async (t) => {
  const tree = computer('E:\\Trade\\x\\userdata_mini')
  const starts = ['E:\\Trade', 'e:\\trade', 'E:\\Trade\\x\\userdata_mini'].map((folder) => ({
    folder,
    isCrowded: false,
  }))
  const { found } = await findTerminals(tree, starts)
  t.strictSame(
    found.map(({ folder }) => folder),
    ['E:\\Trade\\x\\userdata_mini'],
  )
})

t.test('on other systems paths have their own separator', async (t) => {
  const list = async (folder: string) =>
    folder === '/opt/qmt' ? [{ name: 'userdata_mini', isFolder: true }] : []
  const start = [{ folder: '/opt/qmt', isCrowded: false }]
  const { found } = await findTerminals({ list, nowMs: () => 0 }, start)
  t.match(found, [{ folder: '/opt/qmt/userdata_mini' }])
})

t.test('depth, folders, entries and time end the search, and it says so', async (t) => {
  const endless = {
    nowMs: () => 0,
    list: async () => ['qmt-a', 'qmt-b'].map((name) => ({ name, isFolder: true })),
  }
  const start = [{ folder: 'C:\\', isCrowded: true }]
  t.strictSame(await findTerminals(endless, start), { found: [], isCut: false }, 'depth')
  for (const limit of ['foldersMax', 'entriesMax', 'msMax'] as const) {
    const limits = { ...SEARCH, depthMax: 100, [limit]: 3 }
    let nowMs = 0
    const slow = { ...endless, nowMs: () => nowMs++ }
    t.match(await findTerminals(slow, start, limits), { isCut: true }, limit)
  }
})

t.test('a folder that cannot be read, or does not answer, is empty', async (t) => {
  const list = async () => undefined
  t.match(await findTerminals({ list, nowMs: () => 0 }, DRIVES), { found: [], isCut: false })
})

t.test('what the tools of the system print', async (t) => {
  const registry = [
    'HKEY_LOCAL_MACHINE\\SOFTWARE\\Microsoft\\Windows\\CurrentVersion\\Uninstall\\{1}',
    '    InstallLocation    REG_SZ    C:\\Program Files\\Editor\\',
    '',
    'HKEY_LOCAL_MACHINE\\SOFTWARE\\Microsoft\\Windows\\CurrentVersion\\Uninstall\\国金QMT交易端',
    '    InstallLocation    REG_SZ    "D:\\Trade"',
    'HKEY_LOCAL_MACHINE\\SOFTWARE\\Microsoft\\Windows\\CurrentVersion\\Uninstall\\{2}',
    '    InstallLocation    REG_EXPAND_SZ    E:\\XtQMT',
    '    InstallLocation    REG_SZ    ',
    'End of search: 3 match(es) found.',
  ].join('\r\n')
  t.strictSame(notedLocations(registry), ['D:\\Trade', 'E:\\XtQMT'])
  t.strictSame(installedBy('D:\\国金QMT\\bin.x64\\XtMiniQmt.exe\r\n\r\n'), ['D:\\国金QMT'])
  t.equal(consoleText(Buffer.from('国金', 'utf8')), '国金')
  t.equal(
    consoleText(Buffer.from([0xb9, 0xfa, 0xbd, 0xf0])),
    '国金',
    'as a Chinese console prints it',
  )
})
