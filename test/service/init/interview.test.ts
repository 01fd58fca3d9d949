import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { parseArguments } from '../../../src/config/arguments.ts'
import type { InitAsked } from '../../../src/config/commands/init.ts'
import { loadConfig } from '../../../src/config/load.ts'
import { newConfigText } from '../../../src/config/new-file.ts'
import { interview } from '../../../src/service/init/interview.ts'

const MINI = 'D:\\国金QMT\\userdata_mini'
const TERMINALS = [
  { folder: MINI, isMini: true, accountIds: ['88001234'] },
  { folder: 'E:\\QMT\\userdata_mini', isMini: true, accountIds: [] },
]

const asked = (line: string): InitAsked => {
  const parsed = parseArguments(['init', ...line.split(' ').filter((word) => word !== '')])
  if (parsed.kind !== 'init') throw new Error(JSON.stringify(parsed))
  return parsed
}

interface Scene {
  readonly line?: string
  /** Of the person, in turn; then the person has gone. Absent: there is nobody. */
  readonly answers?: readonly string[]
  readonly terminals?: typeof TERMINALS
}

async function held({ line = '', answers, terminals = TERMINALS }: Scene) {
  const heard: string[] = []
  const left = [...(answers ?? [])]
  const person = {
    ask: async (question: string) => {
      heard.push(question)
      return left.shift()
    },
    say: (text: string) => void heard.push(text),
  }
  const folders = new Set([...TERMINALS.map(({ folder }) => folder), '/qmt', '/qmt/userdata_mini'])
  const result = await interview({
    asked: asked(line),
    person: answers && person,
    terminals: async () => terminals,
    isFolder: (path) => folders.has(path),
  })
  return { result, heard }
}

t.test('everything that is found is offered, and Enter takes it', async (t) => {
  const { result, heard } = await held({ answers: ['', '1', '', '', '', '', '', ''] })
  t.match(heard[1], /1 {2}D:.*\n.*2 {2}E:/)
  t.strictSame(result, {
    ok: true,
    value: {
      config: {
        driver: 'xt',
        accounts: [{ accountId: '88001234', type: 'STOCK', clientPath: MINI }],
        python: '',
        dataDir: './data',
      },
      hasToken: false,
    },
  })
})

t.test('a wrong answer is asked for again, with how to mend it', async (t) => {
  const { result, heard } = await held({
    answers: [
      'qmt',
      'xt',
      'Z:\\nowhere',
      '"/qmt"',
      '',
      '88 00/1',
      '88001',
      'BOND',
      'future',
      'y',
      '2',
      '77001',
      '',
      'n',
      'C:\\Python311\\python.exe',
      'D:\\data',
      'perhaps',
      'y',
    ],
  })
  for (const mend of [
    /请输入 .*paper 或 xt/,
    /没有这个目录/,
    /不是账号/,
    /STOCK、FUTURE 或 CREDIT/,
    /y 或 n/,
  ]) {
    t.ok(
      heard.some((line) => mend.test(line)),
      String(mend),
    )
  }
  t.match(result, {
    value: {
      config: {
        accounts: [
          { accountId: '88001', type: 'FUTURE', clientPath: '/qmt/userdata_mini' },
          { accountId: '77001', type: 'STOCK', clientPath: 'E:\\QMT\\userdata_mini' },
        ],
        python: 'C:\\Python311\\python.exe',
        dataDir: 'D:\\data',
      },
      hasToken: true,
    },
  })
})

t.test('who goes away, at whatever question, has decided nothing', async (t) => {
  const all = ['xt', '1', '', '', 'n', '', '']
  for (let count = 0; count <= all.length; count++) {
    const { result } = await held({ answers: all.slice(0, count) })
    t.match(result, { ok: false, error: { isWrong: false, text: /没有写入任何文件/ } })
  }
  const stubborn = Array.from({ length: 99 }, () => 'nonsense')
  t.match((await held({ answers: stubborn })).result, { ok: false })
})

t.test('with all flags nobody is asked', async (t) => {
  const { result } = await held({ line: '--qmt /qmt --account A1,B2 --python py --token n' })
  t.match(result, {
    value: {
      config: {
        driver: 'xt',
        python: 'py',
        accounts: [{ accountId: 'A1', clientPath: '/qmt/userdata_mini' }, { accountId: 'B2' }],
      },
    },
  })
  t.match((await held({ line: '--driver paper' })).result, {
    value: { config: { driver: 'paper', accounts: [{ accountId: '10000001' }] } },
  })
})

t.test('what is missing or wrong on the command line is named', async (t) => {
  const table: readonly [line: string, error: RegExp][] = [
    ['', /缺少 --qmt/],
    ['--qmt /qmt', /缺少 --account/],
    ['--driver big', /^--driver：请输入/],
    ['--qmt Z:\\nowhere --account 1', /^--qmt：没有这个目录/],
    ['--qmt /qmt --account service', /^--account：.*不是账号/],
    ['--qmt /qmt --account nul', /^--account：.*不是账号/],
    ['--qmt /qmt --account 1,1', /^--account：账号重复/],
    ['--qmt /qmt --account a1,A1', /^--account：账号重复/],
    ['--qmt /qmt --account 1 --type BOND', /^--type：/],
    ['--driver paper --token maybe', /^--token：/],
  ]
  for (const [line, text] of table) {
    t.match((await held({ line })).result, { ok: false, error: { isWrong: true, text } }, line)
  }
  const one = await held({ line: '--account 1', terminals: TERMINALS.slice(0, 1) })
  t.match(one.result, { value: { config: { accounts: [{ clientPath: MINI }] } } }, 'the only one')
})

t.test(
  'a script in the full terminal needs neither path nor Python, and a port of its own',
  async (t) => {
    const { result } = await held({ line: '--driver bigqmt --account 1,2 --token n' })
    t.match(result, {
      value: { config: { driver: 'bigqmt', python: '', accounts: [{ accountId: '1' }, {}] } },
    })
    const { accounts, market } = made(t.testdir(), 'bigqmt', undefined)
    t.strictSame(
      accounts.map(({ bigqmt }) => bigqmt.port),
      [58_800, 58_801],
    )
    t.equal(market.source, 'bigqmt')
  },
)

t.test('what is written is a configuration, whatever it is made of', async (t) => {
  const hash = `sha256:${'0'.repeat(64)}`
  const folder = t.testdir()
  for (const driver of ['xt', 'bigqmt', 'paper'] as const) {
    for (const tokenHash of [undefined, hash]) {
      const config = made(folder, driver, tokenHash)
      t.equal(config.accounts.length, 2)
      t.equal(config.tokens.length, tokenHash === undefined ? 0 : 1)
      const isSimulated = config.strategy.ENABLE_SIMULATION_MODE
      t.equal(isSimulated, driver === 'paper' ? undefined : true, 'a real account begins simulated')
    }
  }
})

function made(folder: string, driver: 'xt' | 'bigqmt' | 'paper', tokenHash: string | undefined) {
  const configFile = join(folder, 'made.json')
  const text = newConfigText({
    driver,
    accounts: [
      { accountId: 'A-1', type: 'CREDIT', clientPath: 'D:\\国金 "QMT"\\userdata_mini' },
      { accountId: 'B_2', type: 'FUTURE', clientPath: '/opt/qmt/userdata_mini' },
    ],
    python: 'C:\\Py\\python.exe',
    dataDir: 'D:\\steward\\data',
    ...(tokenHash !== undefined && { tokenHash }),
  })
  writeFileSync(configFile, text)
  const loaded = loadConfig({ cwd: folder, env: {}, options: { configFile } })
  if (!loaded.ok) throw new Error(loaded.error.join())
  return loaded.value.config
}
