"""What can stand on either side: evaluations, Best-of-N, policies that were trained, or plain scores."""
