export function ReportDialog() {
  return <h2 className="text-xl">Generate Report</h2>;
}
