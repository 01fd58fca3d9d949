import t from 'tap'
import { merged } from '../../src/observability/merged.ts'
import {
  exposition,
  gauge,
  histogram,
  histogramSamples,
} from '../../src/observability/prometheus.ts'
import { Histogram } from '../../src/runtime/histogram.ts'

t.test('each family stands once, each sample with who tells it', async (t) => {
  const text = (value: number) =>
    exposition([
      gauge('a', 'A thing.', [{ labels: {}, value }]),
      gauge('b', 'By name.', [{ labels: { node: 'n9' }, value }]),
    ])
  const all = merged([
    { node: 'n1', text: text(1) },
    { node: 'n2', text: text(2) },
  ])
  t.equal(
    all,
    `# HELP a A thing.
# TYPE a gauge
a{told_by="n1"} 1
a{told_by="n2"} 2
# HELP b By name.
# TYPE b gauge
b{told_by="n1",node="n9"} 1
b{told_by="n2",node="n9"} 2
`,
  )
})

t.test('a family that one node alone has is there, and a histogram stays together', async (t) => {
  const took = new Histogram()
  took.observe(3)
  const own = exposition([
    histogram('h_seconds', 'How long.', histogramSamples(took, { le_x: 'y' })),
  ])
  const all = merged([
    { node: 'n1', text: '' },
    { node: 'n2', text: own },
  ])
  t.match(
    all,
    /^# HELP h_seconds How long\.\n# TYPE h_seconds histogram\nh_seconds_bucket\{told_by="n2",le_x="y",le="/,
  )
  t.match(all, /^h_seconds_count\{told_by="n2",le_x="y"\} 1$/m)
})

t.test('values of labels may hold anything, and what is no sample is left out', async (t) => {
  const odd = exposition([gauge('a', 'Odd.', [{ labels: { text: 'x} "1" \\ \n{' }, value: 1e21 }])])
  const all = merged([{ node: 'n1', text: `${odd}not a sample\n# EOF\n` }])
  t.equal(all.split('\n').length, 4)
  t.match(all, 'a{told_by="n1",text="x} \\"1\\" \\\\ \\n{"} 1e+21\n')
})
