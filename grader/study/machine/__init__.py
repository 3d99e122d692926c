"""What this machine has and lacks, for grade doctor."""
