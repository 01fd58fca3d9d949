/**
 * What runs without a configuration file: two paper accounts with eight holdings between them, on a
 * simulated market that moves every second. Prices are plausible, not real.
 */
export const demo = (): Record<string, unknown> => ({
  data_dir: './data',
  accounts: [
    {
      account_id: '10000001',
      qmt_path: 'paper',
      paper: {
        cash: 500_000,
        positions: [
          held('600036.SH', '招商银行', 1_000, 35.1, '2026-08-03'),
          held('600519.SH', '贵州茅台', 100, 1_438.5, '2026-06-15'),
          held('300750.SZ', '宁德时代', 300, 268.4, '2026-09-10'),
          held('510300.SH', '沪深300ETF', 12_000, 4.126, '2026-07-21'),
        ],
      },
    },
    {
      account_id: '10000002',
      qmt_path: 'paper',
      paper: {
        cash: 300_000,
        positions: [
          held('000001.SZ', '平安银行', 3_000, 11.46, '2026-05-20'),
          held('000858.SZ', '五粮液', 500, 126.8, '2026-10-15'),
          held('688981.SH', '中芯国际', 400, 92.35, '2026-08-25'),
          held('159915.SZ', '创业板ETF', 8_000, 2.318, '2026-09-22'),
        ],
      },
    },
  ],
  market: { source: 'simulated', interval_ms: 1_000 },
})

const held = (
  stock_code: string,
  stock_name: string,
  volume: number,
  cost_price: number,
  open_date: string,
) => ({ stock_code, stock_name, volume, cost_price, open_date })
