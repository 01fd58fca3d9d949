import t from 'tap'
import { helpText, parseArguments } from '../../src/config/arguments.ts'
import { COMMANDS } from '../../src/config/commands/table.ts'
import { inEnglish } from './fixtures/in-english.ts'

const parse = (line: string) => parseArguments(line === '' ? [] : line.split(' '))

t.test('commands and options', async (t) => {
  t.strictSame(parse('up'), { kind: 'run', command: 'up', options: {} })
  t.strictSame(parse('gateway --config a.json'), {
    kind: 'run',
    command: 'gateway',
    options: { configFile: 'a.json' },
  })
  t.strictSame(parse('check --config=a=b.json --data-dir d --log-level debug'), {
    kind: 'run',
    command: 'check',
    options: { configFile: 'a=b.json', dataDir: 'd', logLevel: 'debug' },
  })
  t.strictSame(parse('direct --account 10000001 --config c'), {
    kind: 'run',
    command: 'direct',
    accountId: '10000001',
    options: { configFile: 'c' },
  })
  t.strictSame(parse('backup --to d'), { kind: 'run', command: 'backup', target: 'd', options: {} })
  t.strictSame(parse('audit verify'), { kind: 'run', command: 'audit', options: {} })
  t.strictSame(parse('audit verify --account=10000001 --data-dir d'), {
    kind: 'run',
    command: 'audit',
    accountId: '10000001',
    options: { dataDir: 'd' },
  })
  t.strictSame(parse('audit verify --heads h.ndjson --public-key=k.pub'), {
    kind: 'run',
    command: 'audit',
    headsFile: 'h.ndjson',
    publicKeyFile: 'k.pub',
    options: {},
  })
})

t.test('a key is made without a configuration', async (t) => {
  t.strictSame(parse('key --to k.pem'), { kind: 'key', file: 'k.pem' })
  t.match(helpText('key'), /--to F/)
  t.notMatch(helpText('key'), '--config F')
})

t.test('the doctor writes a report where it is told, or into a file of its own name', async (t) => {
  const doctor = { kind: 'run', command: 'doctor', options: {} }
  t.strictSame(parse('doctor'), doctor)
  const named = { ...doctor, reportFile: 'steward-report.txt' }
  t.strictSame(parse('doctor --report'), named)
  t.strictSame(parse('doctor --report a.txt'), { ...named, reportFile: 'a.txt' })
  t.strictSame(parse('doctor --report=a.txt'), { ...named, reportFile: 'a.txt' })
  t.strictSame(parse('doctor --report --config c'), { ...named, options: { configFile: 'c' } })
  t.match(parse('up --report'), { kind: 'wrong' })
  t.match(helpText('doctor'), /--report \[F\]/)
})

t.test('a token is made without a configuration', async (t) => {
  t.strictSame(parse('token'), { kind: 'token', name: 'token-1', scope: 'view' })
  t.strictSame(parse('token --scope=trade --name desk_2'), {
    kind: 'token',
    name: 'desk_2',
    scope: 'trade',
  })
  t.match(helpText('token'), /--scope S/)
})

t.test('help and version', async (t) => {
  t.strictSame(parse('--version'), { kind: 'version' })
  t.strictSame(parse('--help'), { kind: 'help', text: helpText() })
  t.strictSame(parse('-h'), { kind: 'help', text: helpText() })
  t.strictSame(parse('up --config x --help'), { kind: 'help', text: helpText('up') })
  for (const command of ['up', 'direct', 'gateway', 'check', 'doctor', 'audit'] as const) {
    t.match(helpText(), `steward ${command}`)
    t.match(helpText(command), '--config F')
    t.match(helpText(command), /[\u4e00-\u9fff]/)
  }
  t.match(helpText('direct'), '--account ID')
  for (const option of ['--account ID', '--heads F', '--public-key F']) {
    t.match(helpText('audit'), option)
  }
  t.strictSame(parse('audit --help'), { kind: 'help', text: helpText('audit') })
  t.notMatch(helpText('up'), '--account')
})

t.test('F478 each option is explained in Chinese first, and then in English', async (t) => {
  for (const [command, { options }] of Object.entries(COMMANDS)) {
    for (const [option, chinese, english] of options) {
      t.match(chinese, /[\u4e00-\u9fff]/, `${command} ${option}`)
      t.notMatch(english, /[\u3000-\uffff]/, `${command} ${option}`)
    }
  }
  t.match(helpText('restore'), /--from D +备份所在的文件夹.*\n +the folder of the copy/)
})

t.test('wrong usage is one line that says how to mend it', async (t) => {
  const table: [string, string][] = [
    ['', 'no command; try "steward up", or "steward --help"'],
    ['dirct', 'unknown command "dirct"; did you mean direct?'],
    ['frobnicate', 'unknown command "frobnicate"; see steward --help'],
    ['--versoin', 'unknown option "--versoin"; did you mean --version?'],
    ['up --confg f', 'unknown option "--confg"; did you mean --config?'],
    ['up --config', '--config needs a value; see steward up --help'],
    ['up --config=', '--config needs a value; see steward up --help'],
    ['up --config --log-level info', '--config needs a value; see steward up --help'],
    ['up --config a --config b', '--config is given twice'],
    ['up extra', 'unexpected "extra"; see steward up --help'],
    [
      'backup --account 1 --to d',
      'steward backup is for all accounts and takes no --account; one alone is run by steward direct --account ID',
    ],
    ['token add --name n --account 1', 'unknown option "--account"; did you mean --accounts?'],
    [
      'uninstall --confirm DELETE',
      '--confirm belongs to --remove-data; see steward uninstall --help',
    ],
    ['direct', 'steward direct needs --account ID'],
    ['backup', 'steward backup needs --to FOLDER'],
    ['key', 'steward key needs --to FILE'],
    ['key --config f', 'unknown option "--config"; see steward --help'],
    ['audit', 'steward audit needs a verb: steward audit verify'],
    ['audit --account 1', 'steward audit needs a verb: steward audit verify'],
    ['audit verfy', 'unknown command "audit verfy"; did you mean audit verify?'],
    ['audit verify 7', 'unexpected "7"; see steward audit --help'],
    ['token --scope root', '--scope is view, trade or admin'],
    ['token --name a.b', '--name must be 1 to 32 letters, digits, - or _'],
    ['token --config f', '--config stands behind add, list or revoke'],
    ['direct --acount 1', 'unknown option "--acount"; did you mean --account?'],
  ]
  for (const [line, message] of table) {
    const read = parse(line)
    const found = read.kind === 'wrong' ? read.message : ''
    t.strictSame([read.kind, inEnglish(found)], ['wrong', message], line)
    t.match(found, /[\u3400-\u9fff]/, `${line}: in Chinese first`)
  }
})

t.test(
  'F440 a path whose last backslash has taken the quote behind it is told with its mend',
  async (t) => {
    // What Windows makes of: restore "E:\\copies\\steward-20261120-154000\\" and of: backup --to "E:\\" --keep 14
    const table: [words: readonly string[], mend: string][] = [
      [
        ['restore', 'E:\\copies\\steward-20261120-154000"'],
        '"E:\\copies\\steward-20261120-154000"',
      ],
      [['backup', '--schedule', '15:40', '--to', 'E:" --keep 14'], '"E:/"'],
      [['up', '--data-dir', 'D:\\量化 交易\\data" --log-level debug'], '"D:\\量化 交易\\data"'],
    ]
    for (const [words, mend] of table) {
      const read = parseArguments(words, 'win32')
      t.equal(read.kind, 'wrong')
      t.ok(read.kind === 'wrong' && read.message.includes(`write ${mend}`), mend)
    }
    t.match(parseArguments(['restore', '/copies/a"b'], 'linux'), {
      kind: 'run',
      command: 'restore',
    })
  },
)

t.test('F810 an option in front of its verb is told where it belongs', async (t) => {
  const said = (...words: string[]) => {
    const asked = parseArguments(words)
    return asked.kind === 'wrong' ? asked.message : asked.kind
  }
  const behind = /^(--\S+) 写在 add、list 或 revoke 之后 \(\1 stands behind add, list or revoke\)$/
  t.match(said('token', '--config', 'f.json', 'list'), behind)
  t.match(said('token', '--config=f.json', 'list'), behind)
  t.match(said('token', '--name', 'a', '--expires', '2027-01-31'), behind)
  t.equal(said('token', '--name', 'a'), 'token')
  t.equal(said('token', 'add', '--name', 'a', '--expires', '2027-01-31'), 'run')
  t.match(said('cluster', '--config', 'f.json', 'check'), /unexpected "check"/)
  t.match(said('cluster', '--config', 'f.json'), /steward cluster needs a verb: check,/)
  t.match(said('cluster', 'chek'), /unknown command "cluster chek"/)
})
