public enum Migrations {}
