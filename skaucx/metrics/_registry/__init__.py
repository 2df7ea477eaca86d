"""What is known of every metric, and how a declared formula becomes a public function."""
