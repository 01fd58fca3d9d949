import t from 'tap'
import { exposition, histogramSamples, ProcessMetrics } from '../../src/observability/prometheus.ts'

t.test('families are written as Prometheus reads them; empty ones are left out', async (t) => {
  const text = exposition([
    {
      name: 'calls_total',
      help: 'Calls.',
      type: 'counter',
      samples: [
        { labels: { account: '****0001', text: 'a"b\\c\nd' }, value: 3 },
        { labels: {}, value: 0.5 },
      ],
    },
    { name: 'nothing', help: 'None.', type: 'gauge', samples: [] },
  ])
  t.equal(
    text,
    [
      '# HELP calls_total Calls.',
      '# TYPE calls_total counter',
      'calls_total{account="****0001",text="a\\"b\\\\c\\nd"} 3',
      'calls_total 0.5',
      '',
    ].join('\n'),
  )
})

t.test('a histogram has rising buckets in seconds, a sum and a count', async (t) => {
  const samples = histogramSamples(
    { count: 7, sumMs: 1_500, countUntil: (ms) => (ms < 10 ? 2 : 6) },
    { account: 'a' },
  )
  const at = (le: string) => samples.find(({ labels }) => labels['le'] === le)?.value
  t.strictSame([at('0.0001'), at('0.01'), at('10'), at('+Inf')], [2, 6, 6, 7])
  t.match(samples.slice(-2), [
    { suffix: '_sum', value: 1.5 },
    { suffix: '_count', value: 7 },
  ])
})

t.test('the process tells of its event loop and its memory', async (t) => {
  const metrics = new ProcessMetrics()
  t.teardown(() => metrics.close())
  const text = await metrics.text()
  t.match(text, /nodejs_eventloop_lag_seconds \d/)
  t.match(text, /process_resident_memory_bytes \d/)
  t.match(metrics.contentType, /^text\/plain/)
})
