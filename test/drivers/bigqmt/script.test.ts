import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import t from 'tap'
import { foundPythons } from '../xt/pythons.ts'
import { needPython, PYTHON } from '../xt/rig.ts'
import { partPaths, scriptBytes } from './joined.ts'

const FAKE = fileURLToPath(new URL('./fake', import.meta.url))
const run = promisify(execFile)
needPython()

/** As the terminal gets it. */
function scriptIn(folder: string): string {
  const path = join(folder, 'script.py')
  writeFileSync(path, scriptBytes({ account_id: '1', token: 't', folder }))
  return path
}

const wrongIn = async (path: string) =>
  (await run(PYTHON, ['-B', join(FAKE, 'check_grammar.py'), path, ...partPaths()])).stdout.trim()

t.test(
  'F797 the script is one that the full terminal can load, and means the same there',
  async (t) => {
    t.equal(await wrongIn(scriptIn(t.testdir())), '')
  },
)

t.test('what the full terminal cannot load is found', async (t) => {
  const folder = t.testdir()
  const planted = [
    ['import requests', /imports requests/],
    ['import time as t2\nt2.sleep(1)', /sleep/],
    ['def cancel():\n    pass', /cancel is the terminal's/],
    ['def limit():\n    pass\nlimit = 1', /two parts say limit/],
    ['def f(context):\n    context.kept = 1', /keeps something/],
    ['if (n := 1): pass', /SyntaxError/],
    ['def f(a, /): pass', /SyntaxError/],
    ['a = {next(f): next(f) for _ in f}', /the value is called before the key/],
  ] as const
  const found = await Promise.all(
    planted.map(([line], index) => {
      const path = join(folder, `${index}.py`)
      writeFileSync(path, `#coding:gbk\n${line}\n`)
      return wrongIn(path).catch((error: Error) => error.message)
    }),
  )
  for (const [index, [line, message]] of planted.entries()) t.match(found[index], message, line)
})

/** What fails is in the error. */
const keepsItsWord = async (python: string, script: string) => {
  const { stderr } = await run(python, ['-B', join(FAKE, 'test_script.py'), script])
  return stderr
}

t.test('the parts of the script keep their word', async (t) => {
  t.match(await keepsItsWord(PYTHON, scriptIn(t.testdir())), /Ran [1-9]\d+ tests in \S+\s+OK/)
})

for (const [version, python] of foundPythons(6)) {
  if (python === PYTHON) continue
  t.test(`the parts of the script keep their word on Python ${version}`, async (t) => {
    t.match(await keepsItsWord(python, scriptIn(t.testdir())), /Ran [1-9]\d+ tests in \S+\s+OK/)
  })
}

t.test('no part says what another says in other words', (t) => {
  const text = partPaths()
    .map((path) => readFileSync(path, 'utf8'))
    .join('\n')
  t.equal(text.match(/^SETTINGS = \{\}$/gm)?.length, 1, 'the line that the generator replaces')
  t.end()
})
