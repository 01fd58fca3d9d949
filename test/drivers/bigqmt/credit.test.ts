import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { PYTHON } from '../xt/rig.ts'

/** Parts of the script, and those that it shares with the sidecar. */
const PARTS = ['bigqmt/script', 'xt/sidecar'].map((folder) =>
  fileURLToPath(new URL(`../../../src/drivers/${folder}`, import.meta.url)),
)

/** Types of orders that the script tells for these fields of the terminal's objects. */
function typesOf(rows: readonly object[]): unknown {
  const code = `
import json, sys
sys.path[:0] = sys.argv[2:]
from broker_rows import side_of
class Thing(object):
    def __init__(self, fields):
        self.__dict__.update(fields)
print(json.dumps([side_of(Thing(row)) for row in json.loads(sys.argv[1])]))`
  const said = execFileSync(PYTHON, ['-B', '-c', code, JSON.stringify(rows), ...PARTS])
  return JSON.parse(said.toString())
}

const BOUGHT = { m_nOffsetFlag: 48 }
const SOLD = { m_nOffsetFlag: 49 }

t.test('F92 the full terminal’s financing keeps its own type; collateral is a plain order', (t) => {
  const cases: readonly (readonly [fields: object, type: number])[] = [
    [{ ...BOUGHT, m_nOpType: 23 }, 23],
    [{ ...SOLD, m_nOpType: 24 }, 24],
    [{ ...BOUGHT, m_nOpType: 33 }, 23],
    [{ ...SOLD, m_nOpType: 34 }, 24],
    [BOUGHT, 23],
    [{ ...SOLD, m_nOpType: 2_147_483_647 }, 24],
    [{ m_nOpType: 33 }, 23],
    ...[27, 28, 29, 30, 31, 32].map((type) => [{ ...BOUGHT, m_nOpType: type }, type] as const),
    [{ ...BOUGHT, m_nOpType: 70 }, 40],
    [{ ...SOLD, m_nOpType: 71 }, 41],
    [{ ...SOLD, m_nOpType: 74 }, 44],
    [{}, 0],
  ]
  t.same(
    typesOf(cases.map(([fields]) => fields)),
    cases.map(([, type]) => type),
  )
  t.end()
})
