import { execFileSync } from 'node:child_process'
import { basename } from 'node:path'
import t from 'tap'
import { encodeGbk } from '../../../src/drivers/bigqmt/gbk.ts'
import {
  digestOf,
  generateScript,
  type ScriptPart,
  type ScriptSettings,
} from '../../../src/drivers/bigqmt/generate.ts'
import { ownDigest } from '../../../src/drivers/bigqmt/script-parts.ts'
import { needPython, PYTHON } from '../xt/rig.ts'
import { joinedScript, partPaths } from './joined.ts'

const SETTINGS: ScriptSettings = {
  account_id: '10000001',
  account_type: 'STOCK',
  token: 'secret',
  version: '1.2.3',
  transport: 'socket',
  host: '127.0.0.1',
  port: 58_800,
  folder: 'D:\\交易 数据\\"x"\\🙂',
  limits: { tick_ms: 100 },
}
const part = (name: string, text: string): ScriptPart => ({ name, text })
const PARTS = [
  part('settings', 'SETTINGS = {}\n\n\ndef setting(name):\n    return SETTINGS[name]\n'),
  part('words', '"""词"""\r\nimport json\r\n\r\nWORD = "行情"\r\n'),
  part(
    'script',
    'import sys\n\nfrom settings import setting\nfrom words import (\n    WORD,\n)\n\n\ndef init(C):\n    return [setting("folder"), WORD]\n',
  ),
]
const textOf = (parts: readonly ScriptPart[], settings = SETTINGS): string => {
  const made = generateScript(parts, settings)
  return made.ok ? new TextDecoder('gbk').decode(made.value) : `error: ${made.error}`
}

t.test('a script is one file that Python reads as it was meant', async (t) => {
  needPython()
  const made = generateScript(PARTS, SETTINGS)
  const program =
    'import io, json, sys; source = sys.stdin.buffer.read(); space = {}; exec(compile(source, "s.py", "exec"), space); sys.stdout.write(json.dumps([space["init"](None), space["SETTINGS"]]))'
  const input = made.ok ? made.value : ''
  const told = execFileSync(PYTHON, ['-c', program], { input, encoding: 'utf8' })
  const [answered, settings] = JSON.parse(told) as [string[], object]
  t.strictSame(answered, [SETTINGS.folder, '行情'])
  t.strictSame(settings, { ...SETTINGS, digest: digestOf(PARTS) })
})

t.test('its head says what it is, its lines end as in Windows', async (t) => {
  const text = textOf(PARTS)
  t.match(text, /^#coding:gbk\r\n# steward script bigqmt: Steward 1\.2\.3, 资金账号 10000001\r\n/)
  t.notMatch(text, /[^\r]\n/)
  t.notMatch(text, /from (settings|words) import/)
  t.match(text, /^import json\r$/m, 'what is not ours is imported as before')
})

t.test('what cannot be one file is refused by name', async (t) => {
  const [settings = PARTS[0] as ScriptPart, words = PARTS[0] as ScriptPart] = PARTS
  for (const [parts, message] of [
    [[settings, part('a', 'import settings\n')], 'a imports all of settings; name what it needs'],
    [[settings, part('a', 'from settings import setting as s\n')], /a renames .* settings/],
    [[settings, part('a', 'from settings import *\n')], /a renames .* settings/],
    [[part('a', 'from settings import setting\n'), settings], /a imports settings, which comes af/],
    [[settings, words, part('a', 'WORD = 1\n')], 'WORD stands in words and in a'],
    [[settings, part('a', 'def setting():\n    pass\n')], 'setting stands in settings and in a'],
    [[settings, part('a', 'class X(object):\n    pass\n\n\nY, X = 1, 2\n')], undefined],
    [[settings, part('a', 'A, B = 1, 2\n'), part('b', 'B = 3\n')], 'B stands in a and in b'],
    [[words], 'no one place for the settings'],
    [[settings, part('a', 'X = 1\n\n\nSETTINGS = {}\n')], 'SETTINGS stands in settings and in a'],
    [[settings, part('a', '# 🙂 ḿ 🙂\n')], 'not in GBK: 🙂 (U+1F642), ḿ (U+1E3F)'],
  ] as const) {
    const made = generateScript(parts, SETTINGS)
    if (message === undefined) t.ok(made.ok)
    else t.match(made, { ok: false, error: message })
  }
})

t.test('F102 the digest tells another script, and not another checkout of the same', async (t) => {
  const [first, ...rest] = PARTS
  t.match(digestOf(PARTS), /^[0-9a-f]{16}$/)
  const asWindows = PARTS.map(({ name, text }) => part(name, text.replaceAll(/\r?\n/g, '\r\n')))
  t.equal(digestOf(asWindows), digestOf(PARTS))
  t.not(digestOf([part('settings', 'SETTINGS = {}\n'), ...rest]), digestOf(PARTS))
  t.not(digestOf([...rest, first as ScriptPart]), digestOf(PARTS))
})

t.test('the script of this version can be made, every part of it once', async (t) => {
  const text = joinedScript({})
  for (const path of partPaths()) {
    const heading = `# ---- ${basename(path, '.py')} ----`
    t.equal(text.split(heading).length, 2, heading)
  }
  t.match(text, new RegExp(`"digest": "${ownDigest()}"`))
})

t.test('GBK is that of Python, sign for sign', async (t) => {
  needPython()
  const program =
    'import sys\nfor lead in range(0x81, 0xff):\n  for trail in range(0x40, 0xff):\n    try: sys.stdout.buffer.write(bytes([lead, trail]).decode("gbk").encode("utf-8"))\n    except UnicodeDecodeError: pass'
  const all = execFileSync(PYTHON, ['-c', program], { encoding: 'utf8' })
  t.ok(all.length > 21_000)
  const encoded = encodeGbk(all)
  t.ok(encoded.ok)
  if (encoded.ok) t.equal(new TextDecoder('gbk').decode(encoded.value), all)
  const others = Array.from({ length: 0xd7ff - 0x7f }, (_, code) =>
    String.fromCharCode(code + 0x80),
  )
  const known = new Set(all)
  const strange = others.filter((sign) => !known.has(sign) && encodeGbk(sign).ok)
  t.strictSame(strange, [], 'and no other')
})
